import { type Kysely, sql } from 'kysely';

/**
 * Adds the operator's facts on models beside the shipped list, and lists of models and prices that wait for approval.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table model_facts (
    model text primary key,
    facts text not null,
    locked integer not null default 0
  )`.execute(db);
  await sql`create table catalogue_list (
    id integer primary key autoincrement,
    created_time integer not null,
    source text not null,
    format text not null,
    scheduled integer not null,
    decided integer not null default 0,
    digest text not null,
    entries text not null,
    problems text not null
  )`.execute(db);
}
