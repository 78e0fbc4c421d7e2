import type { Database } from '../db/open-database.ts';

/** Makes the database reject all writes, as on a full disk. @returns a function that ends this */
export async function fillStorage({ engine }: Pick<Database, 'engine'>): Promise<() => Promise<void>> {
  if (engine.kind === 'sqlite') {
    engine.connection.exec('PRAGMA query_only = ON');
    return async () => engine.connection.exec('PRAGMA query_only = OFF');
  }
  const { pool } = engine;
  await pool.query(`create or replace function disk_full() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = 'disk_full'; end $$`);
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  // One at a time, because locking several tables in another order could deadlock.
  const ofEach = async (statement: (table: string) => string): Promise<void> => {
    for (const { name } of rows) await pool.query(statement(`"${name}"`));
  };
  await ofEach(
    (table) => `create trigger disk_full before insert or update or delete on ${table}
      for each statement execute function disk_full()`,
  );
  return () => ofEach((table) => `drop trigger disk_full on ${table}`);
}
