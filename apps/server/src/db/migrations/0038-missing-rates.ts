import { type Kysely, sql } from 'kysely';

/** Adds counters that a price version had no rate for, so that they were not charged. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table missing_rate (
    model text not null,
    counter text not null,
    version integer not null,
    calls integer not null,
    last_seen integer not null,
    primary key (model, counter)
  ) without rowid`.execute(db);
}
