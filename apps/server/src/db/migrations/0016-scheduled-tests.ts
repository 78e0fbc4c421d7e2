import { type Kysely, sql } from 'kysely';

/** Adds scheduled tests, test findings as codes, and how much of a prompt is held before the upstream request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table channel_test_run (
    id integer primary key autoincrement,
    started_at integer not null,
    ended_at integer,
    leased_until integer not null,
    passed integer not null default 0,
    failed integer not null default 0,
    left_out integer not null default 0,
    cost_micro_usd integer not null default 0
  )`.execute(db);
  // Their texts were English in every language; the next test finds the same problem again, as a code.
  await sql`delete from channel_test where problem = 'wrong-answer' or outcome = 'not-applicable'`.execute(db);
  await sql`alter table channel_test add column finding text`.execute(db);
  await sql`alter table channel add column held_prompt text not null default 'all'`.execute(db);
}
