import { type Kysely, sql } from 'kysely';

/** Adds the price at which a vendor got a batch. Batches that run now are charged at the price when they end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batch add column vendor_price text`.execute(db);
}
