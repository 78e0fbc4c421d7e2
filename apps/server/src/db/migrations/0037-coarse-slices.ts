import { type Kysely, sql } from 'kysely';

/** Adds packed hours by a single field, which the packing job derives from the existing ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table usage_coarse_slice (
    hour integer not null references usage_slice (hour) on delete cascade,
    field text not null,
    packed blob not null,
    primary key (hour, field)
  )`.execute(db);
}
