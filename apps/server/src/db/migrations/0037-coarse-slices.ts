import { type Kysely, sql } from 'kysely';

/** Packed hours by one field, made out of those that there are by the job that packs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table usage_coarse_slice (
    hour integer not null references usage_slice (hour) on delete cascade,
    field text not null,
    packed blob not null,
    primary key (hour, field)
  )`.execute(db);
}
