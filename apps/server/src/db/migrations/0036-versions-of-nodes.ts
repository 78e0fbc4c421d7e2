import type { Kysely } from 'kysely';

/** Which version runs where, while nodes are replaced one by one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('node')
    .addColumn('version', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
