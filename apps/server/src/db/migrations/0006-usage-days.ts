import { type Kysely, sql } from 'kysely';

/** Adds daily rollups by every field that records are filtered by. A job fills them once a day is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table usage_day (
    day integer not null,
    user_id integer not null,
    api_key_id integer not null,
    channel_id integer not null,
    model text not null,
    group_symbol text not null,
    is_stream integer not null,
    address text not null,
    requests integer not null,
    errors integer not null,
    quota integer not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    primary key (day, user_id, api_key_id, channel_id, model, group_symbol, is_stream, address)
  ) without rowid`.execute(db);
  await db.schema.createIndex('usage_day_user').on('usage_day').columns(['user_id', 'day']).execute();
  await sql`create table summarised_day (day integer primary key) without rowid`.execute(db);
}
