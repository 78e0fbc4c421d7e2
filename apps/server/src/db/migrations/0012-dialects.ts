import { type Kysely, sql } from 'kysely';

/** What a channel changes in the requests that go to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table channel add column request_changes text not null default '{}'`.execute(db);
}
