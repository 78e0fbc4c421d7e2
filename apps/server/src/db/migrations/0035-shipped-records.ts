import type { Kysely } from 'kysely';

/** How far records have been sent to another database, which takes them over for reports of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shipped_record')
    .addColumn('sink', 'text', (c) => c.primaryKey().notNull())
    .addColumn('last_id', 'integer', (c) => c.notNull())
    .execute();
}
