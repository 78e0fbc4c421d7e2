/** Changes many channels at once: each is checked like a single change, and those with refused changes stay. */
import { setImmediate } from 'node:timers/promises';
import type {
  ChannelChange,
  ChannelRefusal,
  ChannelSelection,
  EditResult,
  PriorityTier,
  TagSummary,
} from '@switchyard/contract/channels/bulk-edits-and-import';
import { type Channel, updateChannel } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { invalidInput, issueContext } from '../../platform/http/field-errors.ts';
import { getChannelHealth } from '../health/channel-health.ts';
import { cacheLookups, createFormLookups } from '../registry/check-channel-form.ts';
import { planUpdate, type UpdateChannel } from '../registry/plan-channel-update.ts';
import { presentChannel } from '../registry/present-channel.ts';
import { type ChannelRow, findSelectedChannels, selectChannels } from '../registry/queries.ts';
import {
  CHANGED_MEANWHILE,
  CHANNELS_PER_CHUNK,
  hasChanges,
  NOT_WRITTEN,
  type PlannedUpdate,
  writeInChunks,
  writeUpdates,
} from '../registry/write-channel-updates.ts';

const REFUSED_LISTED_MAX = 200;
/** Fields whose change, if it is the only one, returns the earlier values. */
const undoableFields: ReadonlySet<string> = new Set([
  'status',
  'priority',
  'priorities',
] satisfies (keyof ChannelChange)[]);

interface ChannelEdit {
  where: ChannelSelection;
  change: ChannelChange;
  /** True to only report what would change. */
  dry_run: boolean;
}

/**
 * @returns the result, and the ids of the changed channels
 * @throws AppError when more channels match than the limit of a bulk edit
 */
export async function editChannels(
  ctx: Context,
  { where, change, dry_run }: ChannelEdit,
  userId: number,
): Promise<{ result: EditResult; ids: number[] }> {
  const rows = await findSelectedChannels(selectChannels(ctx.db.writer), where);
  const { plans, refused } = await planEdit(ctx, rows, change);
  const unwritten = dry_run ? new Map<PlannedUpdate, ChannelRefusal>() : await writeEdits(ctx, plans, userId);
  for (const [{ row }, refusal] of unwritten) refused.push({ ...toChannelName(row), ...refusal });
  const done = plans.filter((plan) => !unwritten.has(plan));
  const [only, ...others] = Object.keys(change);
  const canGoBack = only !== undefined && others.length === 0 && undoableFields.has(only);
  const result: EditResult = {
    matched: rows.length,
    changed: done.length,
    refused_count: refused.length,
    refused: refused.slice(0, REFUSED_LISTED_MAX),
    before:
      canGoBack && !dry_run
        ? done.map(({ row }) => ({ id: toChannelName(row).id, status: row.status, priority: row.priority }))
        : [],
  };
  return { result, ids: done.map(({ row }) => row.id) };
}

/** Lists the tags in use, with the number of their channels. */
export async function listTags(ctx: Context): Promise<TagSummary[]> {
  const rows = await ctx.db.reader
    .selectFrom('channel')
    .select(({ fn }) => ['tag', 'status', fn.countAll<number>().as('count')])
    .where('deleted_time', 'is', null)
    .where('tag', '<>', '')
    .groupBy(['tag', 'status'])
    .orderBy('tag')
    .execute();
  const tags = Map.groupBy(rows, ({ tag }) => tag);
  return [...tags].map(([tag, byStatus]) => {
    const countOf = (status: ChannelRow['status']): number => byStatus.find((row) => row.status === status)?.count ?? 0;
    const counts = {
      enabled: countOf('enabled'),
      disabled: countOf('disabled'),
      auto_disabled: countOf('auto-disabled'),
    };
    return { tag, channels: counts.enabled + counts.disabled + counts.auto_disabled, ...counts };
  });
}

/** Lists all channels by priority, highest first. */
export async function listRanks(ctx: Context): Promise<PriorityTier[]> {
  const rows = await ctx.db.reader
    .selectFrom('channel')
    .select(['id', 'priority'])
    .where('deleted_time', 'is', null)
    .orderBy('priority', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const ranks = Map.groupBy(rows, ({ priority }) => priority);
  return [...ranks].map(([priority, those]) => ({ priority, ids: those.map(({ id }) => channelId.parse(id)) }));
}

/** Returns why a channel cannot be changed, without secrets. @throws any error that is not an AppError */
export function toChannelRefusal(error: unknown): ChannelRefusal {
  if (!(error instanceof AppError)) throw error;
  const [field] = error.fields ?? [];
  return field ?? { path: '', rule: error.code, message: error.message };
}

async function planEdit(ctx: Context, rows: readonly ChannelRow[], change: ChannelChange) {
  const questions = cacheLookups(createFormLookups(ctx));
  const plans: PlannedUpdate[] = [];
  const refused: EditResult['refused'] = [];
  for (const [index, row] of rows.entries()) {
    if (index % CHANNELS_PER_CHUNK === 0) await setImmediate();
    try {
      const update = expandChange(presentChannel(ctx, row), change);
      const plan = { row, ...(await planUpdate(ctx, row, update, questions)) };
      if (hasChanges(plan)) plans.push(plan);
    } catch (error) {
      refused.push({ ...toChannelName(row), ...toChannelRefusal(error) });
    }
  }
  return { plans, refused };
}

/** @returns the refusals of plans that were not written */
async function writeEdits(
  ctx: Context,
  plans: readonly PlannedUpdate[],
  userId: number,
): Promise<Map<PlannedUpdate, ChannelRefusal>> {
  const unwritten = new Map<PlannedUpdate, ChannelRefusal>();
  if (plans.length === 0) return unwritten;
  const event = { created_at: nowSeconds(ctx.clock), user_id: userId };
  const left = await writeInChunks(ctx, plans, async (trx, some) => {
    for (const plan of await writeUpdates(trx, some, event)) unwritten.set(plan, CHANGED_MEANWHILE);
  });
  for (const plan of left) unwritten.set(plan, NOT_WRITTEN);
  for (const { row, columns } of plans) if (columns.status === 'enabled') getChannelHealth(ctx).reset(row.id);
  await ctx.changes.publish({ topic: 'channels', ids: plans.map(({ row }) => row.id) });
  return unwritten;
}

function toChannelName({ id, name }: ChannelRow) {
  return { id: channelId.parse(id), name };
}

/**
 * Expands a bulk change into the update of one channel: the resulting fields of the form, with unchanged secrets as
 * masks.
 * @throws AppError when the result breaks a rule of the form, for instance with no model left
 */
function expandChange(channel: Channel, change: ChannelChange): UpdateChannel {
  const { models, group, lacks, options, model_mapping, model_headers, priorities, ...fields } = change;
  const priority = priorities?.[channel.id];
  const expanded = {
    id: channel.id,
    ...fields,
    ...(priority !== undefined && { priority }),
    ...(models && { models: applyListChange(channel.models, models) }),
    ...(group && { group: applyListChange(channel.group, group) }),
    ...(lacks && { lacks: applyListChange(channel.lacks, lacks) }),
    ...(options && { options: applyPairsChange(channel.options, options) }),
    ...(model_mapping && { model_mapping: applyPairsChange(channel.model_mapping, model_mapping) }),
    ...(model_headers && { model_headers: applyPairsChange(channel.model_headers, model_headers, lowerCase) }),
  };
  const { status, ...form } = expanded;
  const parsed = updateChannel.safeParse(form, issueContext);
  if (parsed.success) return { ...parsed.data, status };
  throw invalidInput(parsed.error.issues, form);
}

interface ListChange<T> {
  replace?: T[] | undefined;
  add?: T[] | undefined;
  remove?: T[] | undefined;
}

function applyListChange<T>(list: readonly T[], { replace, add = [], remove = [] }: ListChange<T>): T[] {
  const gone = new Set(remove);
  return [...new Set([...(replace ?? list), ...add])].filter((item) => !gone.has(item));
}

interface PairsChange {
  replace?: Record<string, string> | undefined;
  set?: Record<string, string> | undefined;
  remove?: string[] | undefined;
}

const identity = (name: string): string => name;
const lowerCase = (name: string): string => name.toLowerCase();

/** @param same maps a name to a canonical form; headers are case-insensitive */
function applyPairsChange(
  pairs: Readonly<Record<string, string>>,
  { replace, set = {}, remove = [] }: PairsChange,
  same: (name: string) => string = identity,
): Record<string, string> {
  const after = new Map<string, readonly [string, string]>();
  for (const [name, value] of [...Object.entries(replace ?? pairs), ...Object.entries(set)])
    after.set(same(name), [name, value]);
  for (const name of remove) after.delete(same(name));
  return Object.fromEntries(after.values());
}
