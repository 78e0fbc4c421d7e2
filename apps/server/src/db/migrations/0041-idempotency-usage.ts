import { type Kysely, sql } from 'kysely';

/**
 * Counts the idempotency keys and stored responses of each user, so that no request has to add them up. Earlier keys count
 * for no user: they expire within a day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_key add column user_id integer not null default 0`.execute(db);
  await sql`create index idempotency_key_body on idempotency_key (user_id, created_at) where body is not null`.execute(
    db,
  );
  await sql`create table idempotency_usage (
    user_id integer primary key,
    keys integer not null,
    bytes integer not null
  )`.execute(db);
}
