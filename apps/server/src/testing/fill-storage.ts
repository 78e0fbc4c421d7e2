import type { Database } from '../db/db.ts';

/** The database takes nothing more, as on a full disk. @returns what makes room again */
export async function fillStorage({ engine }: Pick<Database, 'engine'>): Promise<() => Promise<void>> {
  if (engine.kind === 'sqlite') {
    engine.connection.exec('PRAGMA query_only = ON');
    return async () => engine.connection.exec('PRAGMA query_only = OFF');
  }
  await engine.pool.query(`
    create function disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full' using errcode = 'disk_full'; end $$;
    do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('create trigger disk_full before insert or update or delete on %I
          for each statement execute function disk_full()', name);
      end loop;
    end $$`);
  return async () => void (await engine.pool.query('drop function disk_full cascade'));
}
