/** Imports groups first, because users, tokens and channels refer to them. */
import { createUserGroup } from '@switchyard/contract/accounts/user-groups';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import type { ImportRun } from './import-run-and-map.ts';
import type { Installation, SourceGroup } from './source-installation.ts';

const DEFAULT_GROUP = 'default';
/** Maximum characters of a symbol that are read: normalizing takes time by the square of its combining marks. */
const SYMBOL_READ_MAX = 256;

/** Maps a symbol of the source to the symbol here. */
export type MapSymbol = (symbol: string) => string;

export async function writeGroups(run: ImportRun, installation: Installation): Promise<MapSymbol> {
  const described = new Map(installation.groups.map((group) => [group.symbol, group]));
  const symbols = new Map<string, string>();
  const all = new Set([...described.keys(), ...listUsedGroups(installation)]);
  all.delete('');
  for (const symbol of all) {
    const group = described.get(symbol) ?? createUnknownGroup(symbol, installation);
    if (!described.has(symbol)) run.report.remark('group', 'used in the source but not defined there', symbol);
    symbols.set(symbol, await writeGroup(run, group, all));
  }
  return (symbol) => symbols.get(symbol) ?? DEFAULT_GROUP;
}

function listUsedGroups({ users, keys, channels }: Installation): string[] {
  return [
    ...users.map(({ group }) => group),
    ...keys.flatMap(({ group, backupGroup }) => [group, backupGroup]),
    ...channels.flatMap(({ groups }) => groups),
  ];
}

function createUnknownGroup(
  symbol: string,
  { unknownGroupsServe: enabled, unknownGroupsRate: apiRate }: Installation,
): SourceGroup {
  const nothing = { isPublic: false, promotion: false, minUsd: 0, maxUsd: 0 };
  return { symbol, name: symbol, ratioMicros: RATIO_ONE, apiRate, enabled, ...nothing };
}

/** @param symbolsThere of all groups, so that no group gets another one's symbol here */
async function writeGroup(run: ImportRun, group: SourceGroup, symbolsThere: ReadonlySet<string>): Promise<string> {
  const { trx, map, report } = run;
  report.count('group', 'read');
  const known = await findImportedSymbol(run, group.symbol);
  const symbol = known ?? (await chooseSymbol(run, group.symbol, symbolsThere));
  if (symbol !== group.symbol) report.remark('group', 'its symbol is changed', `${group.symbol} → ${symbol}`);
  if (known !== undefined) {
    report.count('group', 'known');
    return known;
  }
  const columns = {
    name: group.name.slice(0, 50),
    ratio_micros: group.ratioMicros,
    api_rate: clamp(group.apiRate, 1_000_000),
    public: Number(group.isPublic),
    // All users without another group are in it.
    enable: Number(group.enabled || symbol === DEFAULT_GROUP),
    promotion: Number(group.promotion),
    min_usd: clamp(group.minUsd, 1_000_000_000),
    max_usd: clamp(group.maxUsd, 1_000_000_000),
  };
  const here = await trx.selectFrom('user_group').selectAll().where('symbol', '=', symbol).executeTakeFirst();
  if (here === undefined) {
    const { id } = await trx
      .insertInto('user_group')
      .values({ symbol, ...columns, order: 'weight' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await map.record('group', group.symbol, id);
    report.count('group', 'new');
    return symbol;
  }
  const member = await trx
    .selectFrom('user')
    .select('id')
    .where('group_symbol', '=', symbol)
    .limit(1)
    .executeTakeFirst();
  if (member === undefined) await trx.updateTable('user_group').set(columns).where('id', '=', here.id).execute();
  else {
    if (here.ratio_micros !== columns.ratio_micros)
      report.remark(
        'group',
        'it keeps its ratio because it already has users here',
        `${symbol} (${group.ratioMicros / RATIO_ONE} in the source, ${here.ratio_micros / RATIO_ONE} here)`,
      );
    if (here.api_rate !== columns.api_rate)
      report.remark(
        'group',
        'it keeps its rate limit because it already has users here',
        `${symbol} (${columns.api_rate} requests per minute in the source, ${here.api_rate} here; 0 is no limit)`,
      );
  }
  await map.record('group', group.symbol, here.id);
  report.count('group', 'new');
  return symbol;
}

/** Returns the symbol under which an earlier run imported the group, unless the group was deleted since. */
async function findImportedSymbol({ trx, map }: ImportRun, symbol: string): Promise<string | undefined> {
  const id = map.find('group', symbol);
  if (id === undefined) return undefined;
  const row = await trx.selectFrom('user_group').select('symbol').where('id', '=', id).executeTakeFirst();
  return row?.symbol;
}

/** Returns the symbol unchanged if it is allowed here, otherwise one that no group has, in the source or here. */
async function chooseSymbol({ trx }: ImportRun, symbol: string, symbolsThere: ReadonlySet<string>): Promise<string> {
  if (createUserGroup.shape.symbol.safeParse(symbol).success) return symbol;
  const plain = symbol
    .slice(0, SYMBOL_READ_MAX)
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9_-]+/gi, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 24);
  const base = plain === '' ? 'group' : plain;
  const rows = await trx.selectFrom('user_group').select('symbol').execute();
  const taken = new Set([...symbolsThere, ...rows.map((row) => row.symbol)]);
  let free = base;
  for (let number = 2; taken.has(free); number += 1) free = `${base}-${number}`;
  return free;
}

const clamp = (value: number, most: number): number => Math.min(Math.max(0, value), most);
