import { type Kysely, sql } from 'kysely';

/** Ties an impersonation session to root's own session, with which it ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column parent_hash text references session (id_hash) on delete cascade`.execute(db);
  await sql`create index session_parent on session (parent_hash) where parent_hash is not null`.execute(db);
}
