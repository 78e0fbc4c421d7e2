/** Groups first: users, tokens and channels name them. */
import { createUserGroup } from '@switchyard/contract/user-groups';
import { RATIO_ONE } from '../ledger/ledger.ts';
import type { Installation, SourceGroup } from './installation.ts';
import type { Run } from './run.ts';

const DEFAULT_GROUP = 'default';

/** A symbol there → the symbol here. */
export type SymbolOf = (symbol: string) => string;

export async function writeGroups(run: Run, installation: Installation): Promise<SymbolOf> {
  const described = new Map(installation.groups.map((group) => [group.symbol, group]));
  const symbols = new Map<string, string>();
  const all = new Set([...described.keys(), ...usedGroups(installation)]);
  for (const symbol of all) {
    if (symbol === '') continue;
    const group = described.get(symbol) ?? unknownGroup(symbol, installation.unknownGroupsServe);
    if (!described.has(symbol)) run.report.remark('group', 'in use there and described nowhere', symbol);
    symbols.set(symbol, await writeGroup(run, group, [...symbols.values()]));
  }
  return (symbol) => symbols.get(symbol) ?? DEFAULT_GROUP;
}

function usedGroups({ users, keys, channels }: Installation): string[] {
  return [
    ...users.map(({ group }) => group),
    ...keys.flatMap(({ group, backupGroup }) => [group, backupGroup]),
    ...channels.flatMap(({ groups }) => groups),
  ];
}

function unknownGroup(symbol: string, enabled: boolean): SourceGroup {
  const nothing = { apiRate: 0, isPublic: false, promotion: false, minUsd: 0, maxUsd: 0 };
  return { symbol, name: symbol, ratioMicros: RATIO_ONE, enabled, ...nothing };
}

async function writeGroup({ trx, map, report }: Run, group: SourceGroup, taken: string[]): Promise<string> {
  report.count('group', 'read');
  const symbol = symbolFor(group.symbol, taken);
  if (symbol !== group.symbol) report.remark('group', 'the symbol is changed', `${group.symbol} → ${symbol}`);
  if (map.find('group', group.symbol) !== undefined) {
    report.count('group', 'known');
    return symbol;
  }
  const columns = {
    name: group.name.slice(0, 50),
    ratio_micros: group.ratioMicros,
    api_rate: atMost(group.apiRate, 1_000_000),
    public: Number(group.isPublic),
    // Everybody without a group of their own is in it.
    enable: Number(group.enabled || symbol === DEFAULT_GROUP),
    promotion: Number(group.promotion),
    min_usd: atMost(group.minUsd, 1_000_000_000),
    max_usd: atMost(group.maxUsd, 1_000_000_000),
  };
  const here = await trx.selectFrom('user_group').selectAll().where('symbol', '=', symbol).executeTakeFirst();
  if (here === undefined) {
    const { id } = await trx
      .insertInto('user_group')
      .values({ symbol, ...columns, order: 'weight' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await map.note('group', group.symbol, id);
    report.count('group', 'new');
    return symbol;
  }
  const member = await trx
    .selectFrom('user')
    .select('id')
    .where('group_symbol', '=', symbol)
    .limit(1)
    .executeTakeFirst();
  if (member === undefined)
    await trx.updateTable('user_group').set(columns).where('id', '=', here.id).execute();
  else if (here.ratio_micros !== columns.ratio_micros)
    report.remark(
      'group',
      'users here are in it, so that it keeps its ratio',
      `${symbol} (${group.ratioMicros / RATIO_ONE} there, ${here.ratio_micros / RATIO_ONE} here)`,
    );
  await map.note('group', group.symbol, here.id);
  report.count('group', 'new');
  return symbol;
}

/** As it is where that is allowed here. */
function symbolFor(symbol: string, taken: readonly string[]): string {
  if (createUserGroup.shape.symbol.safeParse(symbol).success) return symbol;
  const plain = symbol
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9_-]+/gi, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 24);
  const base = plain === '' ? 'group' : plain;
  let free = base;
  for (let number = 2; taken.includes(free); number += 1) free = `${base}-${number}`;
  return free;
}

const atMost = (value: number, most: number): number => Math.min(Math.max(0, value), most);
