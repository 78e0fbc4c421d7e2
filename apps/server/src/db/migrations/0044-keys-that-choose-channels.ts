import { type Kysely, sql } from 'kysely';

/**
 * Stores whether a key may choose channels, which a key that a restricted access token creates may not. Earlier keys
 * keep the choice that their owner's role gives them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key add column can_choose_channel integer not null default 1`.execute(db);
}
