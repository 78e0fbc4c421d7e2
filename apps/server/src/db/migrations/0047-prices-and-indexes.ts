import { type Kysely, sql } from 'kysely';

/**
 * Adds the price at which a vendor got a batch, and indexes of the queries that read all rows of a user. Batches that
 * run now are charged at the price when they end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batch add column vendor_price text`.execute(db);
  await sql`create index task_open on task (user_id, channel_id, id, request_id, ended_at) where ended_at is null`.execute(
    db,
  );
  await sql`create index task_format on task (user_id, client_format, created_at desc, id desc)`.execute(db);
  await sql`create index task_callbacks on task (user_id, notify_at) where notify_at is not null`.execute(db);
  await sql`create index delivery_destination on delivery (destination_id)`.execute(db);
  await sql`create index delivery_event on delivery (user_id, event, created_time)`.execute(db);
  await sql`create index mail_recipient on mail (state, recipient, next_try_time)`.execute(db);
  await sql`create index mail_expiry on mail (state, expires_time, next_try_time)`.execute(db);
}
