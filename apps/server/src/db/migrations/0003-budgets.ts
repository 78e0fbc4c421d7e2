import { type Kysely, sql } from 'kysely';

/**
 * Adds checkpoints of holds, daily spending of API keys, alarms of the self-check, and responses kept for idempotency
 * keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table hold add column limited integer not null default 0`.execute(db);
  await sql`alter table hold add column checkpoint text`.execute(db);
  // Held amounts now count for keys without a limit, too, because they may count against their budgets.
  await sql`update key_account set held =
    (select coalesce(sum(amount), 0) from hold where hold.api_key_id = key_account.api_key_id)`.execute(db);

  await sql`create table key_day (
    api_key_id integer not null,
    day integer not null,
    used integer not null,
    primary key (api_key_id, day)
  ) without rowid`.execute(db);
  await sql`insert into key_day (api_key_id, day, used)
    select api_key_id, created_at - created_at % 86400, -sum(user_amount) from ledger_entry
    where kind = 'charge' and api_key_id is not null group by 1, 2`.execute(db);

  await sql`create table ledger_alarm (
    user_id integer not null,
    problem text not null,
    difference integer not null,
    found_at integer not null,
    acknowledged_at integer,
    primary key (user_id, problem, difference)
  ) without rowid`.execute(db);

  await sql`create table idempotency_key (
    scope text not null,
    key text not null,
    fingerprint text not null,
    request_id text not null,
    created_at integer not null,
    status integer,
    content_type text,
    body blob,
    primary key (scope, key)
  )`.execute(db);
  await db.schema.createIndex('idempotency_key_time').on('idempotency_key').column('created_at').execute();
}
