import { type Kysely, sql } from 'kysely';

/**
 * Adds data keys, which seal secrets and are stored wrapped by the master key. A migration has no master key, so the
 * first start fills the table: see `db/key-ring.ts`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table data_key (
    id integer primary key,
    sealed text not null,
    created_time integer not null
  )`.execute(db);
}
