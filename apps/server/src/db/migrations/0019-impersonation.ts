import { type Kysely, sql } from 'kysely';

/** A session in which root acts as another user belongs to a session of root's, and ends with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column parent_hash text references session (id_hash) on delete cascade`.execute(db);
  await sql`create index session_parent on session (parent_hash) where parent_hash is not null`.execute(db);
}
