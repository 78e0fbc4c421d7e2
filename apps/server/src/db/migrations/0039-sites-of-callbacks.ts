import { type Kysely, sql } from 'kysely';

/** Callbacks name this server as the client named it, where the operator has set no address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task add column notify_site text not null default ''`.execute(db);
}
