import { type Kysely, sql } from 'kysely';

/** Adds the last result of each kind of channel test, and hourly statistics for each channel's model. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table channel_test (
    channel_id integer not null references channel (id),
    model text not null,
    kind text not null,
    outcome text not null,
    problem text,
    message text not null,
    tested_at integer not null,
    duration integer not null,
    first_content_time integer,
    input_tokens integer,
    output_tokens integer,
    cost_micro_usd integer,
    primary key (channel_id, model, kind)
  ) without rowid`.execute(db);
  await sql`create table channel_hour (
    channel_id integer not null references channel (id),
    model text not null,
    hour integer not null,
    answered integer not null default 0,
    rate_limited integer not null default 0,
    out_of_credit integer not null default 0,
    unauthorised integer not null default 0,
    overloaded integer not null default 0,
    unreachable integer not null default 0,
    garbled integer not null default 0,
    within_250 integer not null default 0,
    within_500 integer not null default 0,
    within_1000 integer not null default 0,
    within_1500 integer not null default 0,
    within_2000 integer not null default 0,
    within_3000 integer not null default 0,
    within_5000 integer not null default 0,
    within_8000 integer not null default 0,
    within_13000 integer not null default 0,
    within_20000 integer not null default 0,
    within_40000 integer not null default 0,
    within_inf integer not null default 0,
    primary key (channel_id, hour, model)
  ) without rowid`.execute(db);
  await db.schema.createIndex('channel_hour_hour').on('channel_hour').column('hour').execute();
}
