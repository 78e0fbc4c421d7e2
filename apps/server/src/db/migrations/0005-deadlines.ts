import { type Kysely, sql } from 'kysely';

/** Adds the deadlines of channels, tokens per minute of a group, and the row that tests readiness. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table channel add column deadlines text not null default '{}'`.execute(db);
  await sql`alter table user_group add column tokens_per_minute integer not null default 0`.execute(db);
  await sql`create table readiness (
    id integer primary key check (id = 1),
    tried_at integer not null
  )`.execute(db);
  await sql`insert into readiness values (1, 0)`.execute(db);
}
