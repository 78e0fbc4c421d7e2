import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** In words, who would be left without this group; empty when nobody uses it. */
export async function whoUses(db: Kysely<Schema>, symbol: string): Promise<string[]> {
  const { rows } = await sql<{ who: string }>`
    select 'users' as who where exists
      (select 1 from "user" where group_symbol = ${symbol} and deleted_time is null)
    union all select 'tokens' where exists
      (select 1 from api_key where ${symbol} in (group_symbol, backup_group) and deleted_time is null)
    union all select 'channels' where exists
      (select 1 from channel, json_each(channel.groups) where value = ${symbol} and deleted_time is null)
  `.execute(db);
  return rows.map(({ who }) => who);
}
