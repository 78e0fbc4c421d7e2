import { type Kysely, sql } from 'kysely';

/**
 * What each user has of idempotency keys and kept responses, so that no request has to add it up. Keys of before count
 * for nobody: they expire within a day.
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
