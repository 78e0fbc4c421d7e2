import { type Kysely, sql } from 'kysely';

/** Adds the map of what was imported from other installations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table import_map (
    source text not null,
    kind text not null,
    source_id text not null,
    target_id integer not null,
    primary key (source, kind, source_id)
  )`.execute(db);
  await sql`alter table user_account add column used_before integer not null default 0`.execute(db);
  // Each sign-in looks for any such hash, and does the work of verifying one if it exists.
  await sql`create index user_old_password on "user" (id) where password_hash like '$2%'`.execute(db);
}
