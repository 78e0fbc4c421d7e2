import type { Kysely } from 'kysely';

/** Adds how far records have been sent to another database, which imports them for its own reports. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shipped_record')
    .addColumn('sink', 'text', (c) => c.primaryKey().notNull())
    .addColumn('last_id', 'integer', (c) => c.notNull())
    .execute();
}
