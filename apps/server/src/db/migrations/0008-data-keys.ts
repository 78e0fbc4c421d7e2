import { type Kysely, sql } from 'kysely';

/**
 * Secrets are sealed with data keys, which are stored wrapped by the master key. The first start with this table fills
 * it, because a migration has no master key: see `db/key-ring.ts`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table data_key (
    id integer primary key,
    sealed text not null,
    created_time integer not null
  )`.execute(db);
}
