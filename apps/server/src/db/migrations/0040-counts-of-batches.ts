import { type Kysely, sql } from 'kysely';

/**
 * Adds the fields to indexes that let uploads and new batches count a user's files and batches from the index alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index batch_file_user`.execute(db);
  await sql`create index batch_file_user on batch_file (user_id, created_at desc, bytes)`.execute(db);
  await sql`drop index batch_user`.execute(db);
  await sql`create index batch_user on batch (user_id, created_at desc, ended_at)`.execute(db);
}
