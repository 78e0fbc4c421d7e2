import { type Kysely, sql } from 'kysely';

/** Finds the live keys of a user without reading the deleted ones, which stay because records name them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index api_key_live on api_key (user_id, id) where deleted_time is null`.execute(db);
}
