import { type Kysely, sql } from 'kysely';

/** Adds job runs, dismissed notices, provider certificates, and the data that notices are computed from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table job_run (
    name text primary key,
    last_started integer not null,
    last_ended integer not null,
    duration_ms integer not null,
    outcome text not null,
    message text not null
  )`.execute(db);
  await sql`create table notice_seen (
    user_id integer not null,
    kind text not null,
    mark text not null,
    seen_time integer not null,
    primary key (user_id, kind)
  )`.execute(db);
  await sql`create table host_certificate (
    host text primary key,
    problem text not null,
    issuer text not null,
    valid_until integer,
    checked_time integer not null
  )`.execute(db);
  await sql`create index channel_auto_disabled on channel (id) where status = 'auto-disabled'`.execute(db);
  await sql`create index order_refund_failed on order_refund (created_time) where state = 'failed'`.execute(db);
  await sql`create index audit_entry_settings on audit_entry (id) where action = 'setting.update'`.execute(db);
}
