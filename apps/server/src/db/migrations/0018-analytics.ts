import { type Kysely, sql } from 'kysely';

/** Adds packed hours of calls, which the server fills from the existing records, and saved views. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table usage_slice (
    hour integer primary key,
    packed blob not null
  )`.execute(db);
  await sql`create table saved_view (
    id integer primary key autoincrement,
    user_id integer not null references "user" (id),
    name text not null,
    search text not null,
    created_time integer not null,
    unique (user_id, name)
  )`.execute(db);
}
