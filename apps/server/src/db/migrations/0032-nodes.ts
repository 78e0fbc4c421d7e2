import { type Kysely, sql } from 'kysely';

/** Adds a row for each node on one database. Holds carry their node's number. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('node')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('started_at', 'integer', (c) => c.notNull())
    .addColumn('lease_until', 'integer', (c) => c.notNull())
    .execute();
  await sql`alter table hold add column node_id integer references node (id)`.execute(db);
  await sql`create index hold_node on hold (node_id) where node_id is not null`.execute(db);
}
