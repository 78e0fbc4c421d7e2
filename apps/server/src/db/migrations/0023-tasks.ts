import { type Kysely, sql } from 'kysely';

/** Adds tasks, and holds that outlive the request that took them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table hold add column lasting integer not null default 0`.execute(db);
  await sql`create table task (
    id text primary key,
    request_id text not null unique,
    user_id integer not null,
    api_key_id integer,
    channel_id integer not null,
    channel_key_id text not null,
    group_symbol text not null,
    client_format text not null,
    upstream_format text not null,
    upstream_id text not null,
    origin_id text,
    action text not null,
    model text not null,
    upstream_model text not null,
    status text not null,
    progress integer not null,
    prompt text not null,
    request text not null,
    news text not null,
    failure text not null,
    expected integer not null,
    charge integer,
    terms text not null,
    notify_url text not null,
    created_at integer not null,
    started_at integer,
    ended_at integer,
    deadline_at integer not null,
    next_look_at integer not null,
    failed_looks integer not null,
    check ((status in ('queued', 'running')) = (ended_at is null))
  ) without rowid`.execute(db);
  // A provider that returns one id for two orders does the work once, and may reuse the id later.
  await sql`create unique index task_upstream on task (user_id, channel_id, upstream_id) where ended_at is null`.execute(
    db,
  );
  await sql`create index task_due on task (next_look_at) where ended_at is null`.execute(db);
  await sql`create index task_news on task (upstream_id) where ended_at is null`.execute(db);
  await sql`create index task_user on task (user_id, created_at desc)`.execute(db);
  await sql`create index task_created on task (created_at desc)`.execute(db);
}
