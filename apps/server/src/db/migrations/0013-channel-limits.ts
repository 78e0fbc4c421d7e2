import { type Kysely, sql } from 'kysely';

/**
 * Adds channels with several keys, some of which may be disabled, and daily spending of each channel for its caps.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table channel_key_state (
    channel_id integer not null references channel (id),
    key_id text not null,
    status text not null,
    reason text not null,
    since integer not null,
    primary key (channel_id, key_id)
  ) without rowid`.execute(db);
  await sql`alter table stored_response add column key_id text`.execute(db);
  await sql`alter table channel add column caps text not null default '{}'`.execute(db);
  await sql`create table channel_day (
    channel_id integer not null,
    day integer not null,
    spent integer not null,
    primary key (channel_id, day)
  ) without rowid`.execute(db);
  // Where the cost was unknown, the charge is the best estimate of it.
  await sql`insert into channel_day (channel_id, day, spent)
    select channel_id, hour - hour % 86400, sum(cost + quota - costed_quota) from usage_hour
    where channel_id > 0 group by 1, 2`.execute(db);
}
