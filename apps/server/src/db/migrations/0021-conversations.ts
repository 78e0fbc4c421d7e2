import { type Kysely, sql } from 'kysely';

/** Adds conversations of the playground. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table conversation (
    id integer primary key autoincrement,
    user_id integer not null references user (id),
    title text not null,
    version integer not null,
    created_time integer not null,
    updated_time integer not null,
    content text not null
  )`.execute(db);
  await sql`create index conversation_user on conversation (user_id, updated_time)`.execute(db);
  await sql`create index conversation_updated on conversation (updated_time)`.execute(db);
}
