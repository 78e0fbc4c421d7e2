import { type Kysely, sql } from 'kysely';

/** Adds notification channels, delivery attempts, and the states that were already reported. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table destination (
    id integer primary key,
    user_id integer references user (id),
    type text not null,
    name text not null,
    config_sealed text not null,
    events text not null,
    enabled integer not null,
    off_reason text not null,
    failing_since integer,
    created_time integer not null
  )`.execute(db);
  await sql`create index destination_owner on destination (user_id)`.execute(db);
  await sql`create table delivery (
    id integer primary key autoincrement,
    lane text not null,
    destination_id integer references destination (id) on delete set null,
    user_id integer references user (id),
    event text not null,
    type text not null,
    destination_name text not null,
    title text not null,
    text text not null,
    link text not null,
    state text not null check (state in ('waiting', 'delivered', 'failed')),
    tries integer not null,
    created_time integer not null,
    next_try_time integer check (next_try_time is null or state = 'waiting'),
    ended_time integer,
    last_answer text not null
  )`.execute(db);
  await sql`create index delivery_waiting on delivery (lane, id) where state = 'waiting'`.execute(db);
  // Only the first delivery of each lane has a time, so that due ones are found without reading the whole queue.
  await sql`create unique index delivery_first on delivery (lane) where next_try_time is not null`.execute(db);
  await sql`create index delivery_due on delivery (next_try_time) where next_try_time is not null`.execute(db);
  await sql`create index delivery_owner on delivery (user_id, id)`.execute(db);
  await sql`create index delivery_time on delivery (created_time)`.execute(db);
  await sql`create table alert_mark (
    event text not null,
    subject text not null,
    seen_time integer not null,
    primary key (event, subject)
  ) without rowid`.execute(db);
  // Tokens that were used up earlier need no alert.
  await sql`insert into alert_mark (event, subject, seen_time)
    select 'key-spent', api_key.id, 0 from api_key join key_account on key_account.api_key_id = api_key.id
    where api_key.deleted_time is null and api_key.unlimited_quota = 0 and key_account.remaining <= 0`.execute(db);
}
