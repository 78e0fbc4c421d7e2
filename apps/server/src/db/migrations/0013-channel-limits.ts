import { type Kysely, sql } from 'kysely';

/** Channels with several keys, of which some may be out of use. */
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
}
