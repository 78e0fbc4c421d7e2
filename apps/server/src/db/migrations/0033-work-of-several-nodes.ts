import type { Kysely } from 'kysely';

/**
 * Adds the tables by which nodes on one database coordinate: versions of changed topics, and leases for exclusive
 * work.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('change_version')
    .addColumn('topic', 'text', (c) => c.primaryKey().notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('held_until', 'integer', (c) => c.notNull())
    .addColumn('rest_until', 'integer', (c) => c.notNull())
    .execute();
}
