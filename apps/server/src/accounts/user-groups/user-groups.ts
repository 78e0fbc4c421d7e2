/** Groups determine which channels a user reaches and multiply the prices. Other rows refer to them by symbol. */
import {
  createUserGroup as createSchema,
  type GroupWithUsage,
  type UserGroup,
  type updateUserGroup as updateSchema,
  type userGroups,
} from '@switchyard/contract/accounts/user-groups';
import type { UserGroupId } from '@switchyard/contract/ids';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import { cacheByKeyUntilChanged, cacheUntilChanged } from '../../platform/caches.ts';
import { AppError, alreadyExists, checkUnchanged, fieldError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import type { UserGroupTable } from './table.ts';

type ListFilter = RouteInput<(typeof userGroups)['list']>['query'];
type GroupRow = Selectable<UserGroupTable>;

interface GroupUsage {
  members: number;
  tokens: number;
  channels: number;
}

/** Group of new users. */
const DEFAULT_GROUP = 'default';
/** Maximum number of cached lists of visible groups: one for each group that is not public and has active callers. */
const VIEWS_MAX = 16;
const NO_USAGE: GroupUsage = { members: 0, tokens: 0, channels: 0 };
const columns = {
  id: 'id',
  symbol: 'symbol',
  name: 'name',
  ratio: 'ratio_micros',
  api_rate: 'api_rate',
  enable: 'enable',
};

export async function listUserGroups(ctx: Context, filter: ListFilter): Promise<Page<GroupWithUsage>> {
  let query = ctx.db.reader.selectFrom('user_group').selectAll();
  if (filter.name !== undefined) query = query.where(startsWith('name', filter.name));
  if (filter.enable !== undefined) query = query.where('enable', '=', Number(filter.enable));
  if (filter.after_id !== undefined) query = query.where('id', '>', filter.after_id);
  const page = await readPage(query, filter, { columns, fallback: 'id', tieBreak: 'id', present });
  const uses = await readGroupUsage(ctx.db.reader);
  return { ...page, data: page.data.map((group) => ({ ...group, ...(uses.get(group.symbol) ?? NO_USAGE) })) };
}

export async function getUserGroup(ctx: Context, id: UserGroupId): Promise<GroupWithUsage> {
  const group = present(await findGroup(ctx.db.writer, id));
  return { ...group, ...((await readGroupUsage(ctx.db.writer)).get(group.symbol) ?? NO_USAGE) };
}

/** @throws AppError `already-exists` */
export async function createUserGroup(ctx: Context, input: z.output<typeof createSchema>): Promise<UserGroup> {
  const row = await ctx.db.writer
    .insertInto('user_group')
    .values({ ...columnsOf(input), symbol: input.symbol, enable: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw alreadyExists('symbol', `The group ${input.symbol} already exists`);
  await ctx.changes.publish({ topic: 'user-groups' });
  return present(row);
}

export async function updateUserGroup(ctx: Context, input: z.output<typeof updateSchema>): Promise<UserGroup> {
  const { id, symbol, enable, ...changes } = input;
  // Read in the transaction that writes all columns, so that a concurrent change of another field stays.
  await ctx.db.writer.transaction().execute(async (trx) => {
    const before = present(await findGroup(trx, id));
    checkUnchanged(before, { symbol, enable });
    await trx
      .updateTable('user_group')
      .set(columnsOf({ ...before, ...omitUndefinedFields(changes) }))
      .where('id', '=', id)
      .execute();
  });
  await ctx.changes.publish({ topic: 'user-groups' });
  return getUserGroup(ctx, id);
}

/** @throws AppError `conflict` for the default group */
export async function toggleUserGroup(ctx: Context, id: UserGroupId): Promise<UserGroup> {
  const row = await findGroup(ctx.db.writer, id);
  if (row.symbol === DEFAULT_GROUP) throw new AppError('conflict', 'The default group cannot be disabled');
  await ctx.db.writer
    .updateTable('user_group')
    .set({ enable: 1 - row.enable })
    .where('id', '=', id)
    .execute();
  await ctx.changes.publish({ topic: 'user-groups' });
  return getUserGroup(ctx, id);
}

/** @throws AppError `conflict` for the default group and for a group in use */
export async function removeUserGroup(ctx: Context, id: UserGroupId): Promise<void> {
  const row = await findGroup(ctx.db.writer, id);
  if (row.symbol === DEFAULT_GROUP) throw new AppError('conflict', 'The default group cannot be deleted');
  await ctx.db.writer.transaction().execute(async (trx) => {
    const uses = (await readGroupUsage(trx)).get(row.symbol);
    if (uses !== undefined) {
      const used = `The group ${row.symbol} is used by ${describeUsage(uses)}`;
      throw new AppError('conflict', `${used}. Assign them another group first.`);
    }
    await trx.deleteFrom('user_group').where('id', '=', id).execute();
  });
  await ctx.changes.publish({ topic: 'user-groups' });
}

export async function listGroupSymbols(ctx: Context): Promise<string[]> {
  const rows = await enabledGroups(ctx);
  return rows.map((row) => row.symbol);
}

/**
 * Lists the enabled groups that are public or the caller's own, by symbol. Callers who see the same groups get the same
 * object.
 */
export async function listVisibleGroups(
  ctx: Context,
  caller: Pick<Caller, 'groupSymbol'> | undefined,
): Promise<Record<string, UserGroup>> {
  const groups = await loadEnabledGroups(ctx);
  const own = groups.find((group) => group.symbol === caller?.groupSymbol);
  return loadVisibleGroups(ctx, own === undefined || own.public ? '' : own.symbol);
}

const loadEnabledGroups = cacheUntilChanged('user-groups', async (ctx: Context) =>
  (await enabledGroups(ctx)).map(present),
);

/** Loads the public groups and one other. The key is the other group's symbol, or empty. */
const loadVisibleGroups = cacheByKeyUntilChanged('user-groups', VIEWS_MAX, async (ctx: Context, own) => {
  const visible = (await loadEnabledGroups(ctx)).filter((group) => group.public || group.symbol === own);
  return Object.fromEntries(visible.map((group) => [group.symbol, group]));
});

const GROUPS_SHOWN = 20;

/**
 * Requires that the group is enabled, and public or the caller's own. Reads the table, because another node may have
 * disabled the group a moment ago.
 * @throws AppError that names the form's field
 */
export async function checkMayUseGroup(
  ctx: Context,
  caller: Pick<Caller, 'groupSymbol'>,
  symbol: string,
  field: string,
): Promise<void> {
  const usable = (await enabledGroups(ctx)).filter(
    (group) => group.public === 1 || group.symbol === caller.groupSymbol,
  );
  if (usable.some((group) => group.symbol === symbol)) return;
  const names = usable.slice(0, GROUPS_SHOWN).map((group) => group.symbol);
  const advice = names.length > 0 ? `Use one of ${names.join(', ')}.` : 'Ask an administrator for one.';
  throw fieldError(field, 'unknown-group', `You cannot use the group ${symbol}. ${advice}`);
}

/** @throws AppError that names the form's field */
export async function checkGroupExists(ctx: Context, symbol: string, field: string): Promise<void> {
  const row = await ctx.db.writer.selectFrom('user_group').select('id').where('symbol', '=', symbol).executeTakeFirst();
  if (row === undefined) throw fieldError(field, 'unknown-group', `There is no group ${symbol}`);
}

/** Creates the groups of a new installation. */
export async function createDefaultGroups(ctx: Pick<Context, 'db' | 'changes'>): Promise<void> {
  const group = (symbol: string, name: string) => ({
    symbol,
    enable: 1,
    ...columnsOf(createSchema.parse({ symbol, name, public: symbol === DEFAULT_GROUP })),
  });
  await ctx.db.writer
    .insertInto('user_group')
    .values([group(DEFAULT_GROUP, 'Default'), group('vip', 'VIP'), group('svip', 'SVIP')])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await ctx.changes.publish({ topic: 'user-groups' });
}

async function enabledGroups(ctx: Context): Promise<GroupRow[]> {
  return ctx.db.writer.selectFrom('user_group').selectAll().where('enable', '=', 1).orderBy('id').execute();
}

/** Describes usage, such as `2 users and 1 token`. */
function describeUsage({ members, tokens, channels }: GroupUsage): string {
  const counted = [
    [members, 'user'],
    [tokens, 'token'],
    [channels, 'channel'],
  ] as const;
  return counted
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    .join(' and ');
}

async function findGroup(db: Kysely<Schema>, id: UserGroupId): Promise<GroupRow> {
  const row = await db.selectFrom('user_group').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('group', id);
  return row;
}

function columnsOf(input: Omit<z.output<typeof createSchema>, 'symbol'>) {
  return {
    ...pickFields(input, ['name', 'api_rate', 'order']),
    ratio_micros: Math.round(input.ratio * RATIO_ONE),
    tokens_per_minute: input.tpm,
    public: Number(input.public),
    promotion: Number(input.promotion),
    min_usd: input.min,
    max_usd: input.max,
  };
}

function present(row: GroupRow): UserGroup {
  return {
    id: row.id as UserGroupId,
    ...pickFields(row, ['symbol', 'name', 'api_rate', 'order']),
    ratio: row.ratio_micros / RATIO_ONE,
    tpm: row.tokens_per_minute,
    public: row.public === 1,
    promotion: row.promotion === 1,
    min: row.min_usd,
    max: row.max_usd,
    enable: row.enable === 1,
  };
}

/** Returns how many members, tokens and channels use each group, by its symbol; leaves out unused groups. */
async function readGroupUsage(db: Kysely<Schema>): Promise<ReadonlyMap<string, GroupUsage>> {
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
