import { type Kysely, sql } from 'kysely';

/**
 * How the last scheduled reading of the operator's list went; one row at most. Lists that wait are read again: they do not
 * tell what they deny from what they say nothing of. And the few calls that another model answered than was asked for.
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
