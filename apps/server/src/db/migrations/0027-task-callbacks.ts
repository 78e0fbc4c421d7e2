import { type Kysely, sql } from 'kysely';

/** Adds callbacks to clients about their tasks, and indexes that find old tasks to remove. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task add column notify_at integer`.execute(db);
  await sql`alter table task add column notify_tries integer not null default 0`.execute(db);
  await sql`create index task_notify on task (notify_at) where notify_at is not null`.execute(db);
  await sql`create index task_ended on task (ended_at) where ended_at is not null`.execute(db);
}
