import type { Kysely } from 'kysely';

/** Adds the version of each node, for rolling upgrades. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('node')
    .addColumn('version', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
