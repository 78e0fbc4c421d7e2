import { type Kysely, sql } from 'kysely';

/** Adds the changes that a channel makes in its requests, and the responses that a conversation can continue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table channel add column request_changes text not null default '{}'`.execute(db);
  await sql`create table stored_response (
    id text not null,
    user_id integer not null references "user" (id),
    previous_id text,
    channel_id integer,
    created_time integer not null,
    expires_time integer not null,
    input text not null,
    response text not null,
    primary key (user_id, id)
  )`.execute(db);
  await db.schema
    .createIndex('stored_response_user')
    .on('stored_response')
    .columns(['user_id', 'created_time'])
    .execute();
  await db.schema.createIndex('stored_response_expiry').on('stored_response').column('expires_time').execute();
}
