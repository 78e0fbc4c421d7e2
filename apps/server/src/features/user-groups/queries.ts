import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** In words, who would be left without this group; empty when nobody uses it. */
export async function whoUses(db: Kysely<Schema>, symbol: string): Promise<string[]> {
  const user = db
    .selectFrom('user')
    .select(sql`1`.as('found'))
    .where('group_symbol', '=', symbol)
    .where('deleted_time', 'is', null);
  const key = db
    .selectFrom('api_key')
    .select(sql`1`.as('found'))
    .where((eb) => eb.or([eb('group_symbol', '=', symbol), eb('backup_group', '=', symbol)]))
    .where('deleted_time', 'is', null);
  const channel = db
    .selectFrom('channel')
    .select(sql`1`.as('found'))
    .where(sql<boolean>`exists (select 1 from json_each(channel.groups) where value = ${symbol})`)
    .where('deleted_time', 'is', null);
  const found = await Promise.all(
    [user, key, channel].map((query) => query.limit(1).executeTakeFirst()),
  );
  return ['users', 'tokens', 'channels'].filter((_, index) => found[index] !== undefined);
}
