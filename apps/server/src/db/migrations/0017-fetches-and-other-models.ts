import { type Kysely, sql } from 'kysely';

/**
 * Adds the result of the last scheduled fetch of the operator's list; one row at most. Waiting lists are fetched
 * again: they don't distinguish what they deny from what they omit. Also adds the calls that were served by another
 * model than the requested one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table catalogue_fetch (
    id integer primary key check (id = 1),
    address_hash text not null,
    tried_time integer not null,
    read_time integer not null,
    failures integer not null,
    problem text
  )`.execute(db);
  await sql`delete from catalogue_list`.execute(db);
  await sql`create index usage_record_other_model on usage_record (created_at)
    where instr(detail, '"served_model":"') > 0`.execute(db);
}
