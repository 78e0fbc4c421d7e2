import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';

export interface GroupUsage {
  members: number;
  tokens: number;
  channels: number;
}

export const NO_USAGE: GroupUsage = { members: 0, tokens: 0, channels: 0 };

/** Returns how many members, tokens and channels use each group, by its symbol; leaves out unused groups. */
export async function readGroupUsage(db: Kysely<Schema>): Promise<ReadonlyMap<string, GroupUsage>> {
  const { rows } = await sql<{ symbol: string; what: keyof GroupUsage; n: number }>`
    select group_symbol as symbol, 'members' as what, count(*) as n from "user"
      where deleted_time is null group by 1
    union all select symbol, 'tokens', count(*) from (
      select group_symbol as symbol from api_key where deleted_time is null
      union all select backup_group from api_key where deleted_time is null and backup_group <> group_symbol
    ) as groups where symbol <> '' group by 1
    union all select json_each.value, 'channels', count(*) from channel, json_each(channel.groups)
      where deleted_time is null group by 1
  `.execute(db);
  const uses = new Map<string, GroupUsage>();
  for (const { symbol, what, n } of rows) uses.set(symbol, { ...(uses.get(symbol) ?? NO_USAGE), [what]: n });
  return uses;
}
