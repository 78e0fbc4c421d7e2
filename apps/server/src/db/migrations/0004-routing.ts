import { type Kysely, sql } from 'kysely';

/**
 * Adds the capabilities that channels lack, the order of a group's channels, and the history of auto-disabled
 * channels.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table channel add column lacks text not null default '[]'`.execute(db);
  await sql`alter table user_group add column "order" text not null default 'weight'`.execute(db);
  await db.schema
    .createTable('channel_event')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('channel_id', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('user_id', 'integer')
    .execute();
  await db.schema.createIndex('channel_event_channel').on('channel_event').columns(['channel_id', 'id']).execute();
}
