import { type Kysely, sql } from 'kysely';

/** Adds batches that a provider runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batch add column channel_id integer`.execute(db);
  await sql`alter table batch add column channel_key_id text`.execute(db);
  await sql`alter table batch add column group_symbol text`.execute(db);
  await sql`alter table batch add column upstream_id text`.execute(db);
}
