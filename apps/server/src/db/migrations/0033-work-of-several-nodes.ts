import type { Kysely } from 'kysely';

/** What nodes on one database tell each other: which rows changed, and who does what only one of them may do. */
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
