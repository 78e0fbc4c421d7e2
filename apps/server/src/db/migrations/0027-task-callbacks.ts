import { type Kysely, sql } from 'kysely';

/** Clients are called of what becomes of their tasks, and old tasks are found to be removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task add column notify_at integer`.execute(db);
  await sql`alter table task add column notify_tries integer not null default 0`.execute(db);
  await sql`create index task_notify on task (notify_at) where notify_at is not null`.execute(db);
  await sql`create index task_ended on task (ended_at) where ended_at is not null`.execute(db);
}
