import { type Kysely, sql } from 'kysely';

/** Adds the server's address as the client used it, for callbacks where the operator has set none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task add column notify_site text not null default ''`.execute(db);
}
