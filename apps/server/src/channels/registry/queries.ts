import { BULK_EDIT_MAX, type ChannelSelection } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { ChannelFilter } from '@switchyard/contract/channels/channels';
import { providers } from '@switchyard/relay';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { contains } from '../../db/paging.ts';
import { notFound, tooManyEntries } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';

/** Punctuation between the names of a JSON list. */
const BETWEEN_NAMES = /^[[\],]+$/;

/** JSON list of the ids of the channel's disabled keys. */
const disabledKeyIds = sql<string>`(select json_group_array(key_id order by key_id) from channel_key_state where channel_id = channel.id)`;

/** Selects channels that are not deleted, with their revenue. */
export function selectChannels(db: Kysely<Schema>) {
  return db
    .selectFrom('channel')
    .leftJoin('channel_usage', 'channel_usage.channel_id', 'channel.id')
    .where('channel.deleted_time', 'is', null)
    .selectAll('channel')
    .select((eb) => eb.fn.coalesce('channel_usage.used', sql<number>`0`).as('used'))
    .select(disabledKeyIds.as('keys_out'));
}

export type ChannelRow = Awaited<ReturnType<ReturnType<typeof selectChannels>['executeTakeFirstOrThrow']>>;

/** @param db transaction of the caller. @throws AppError `not-found` */
export async function findChannel(ctx: Context, id: number, db: Kysely<Schema> = ctx.db.writer): Promise<ChannelRow> {
  const row = await selectChannels(db).where('channel.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('channel', id);
  return row;
}

function isInGroup(symbol: string) {
  return sql<boolean>`exists (select 1 from json_each(channel.groups) where value = ${symbol})`;
}

/**
 * Matches channels with a model whose name contains the text. The JSON is only parsed if the text consists of list
 * punctuation.
 */
function hasModelContaining(text: string) {
  const wanted = text.toLowerCase();
  const written = JSON.stringify(wanted).slice(1, -1);
  const isInJson = sql<boolean>`instr(lower(channel.models), ${written}) > 0`;
  if (!BETWEEN_NAMES.test(wanted)) return isInJson;
  return sql<boolean>`exists (select 1 from json_each(channel.models) where instr(lower(value), ${wanted}) > 0)`;
}

/** Columns that tests, balance checks and calls update. */
const selfChangingColumns: ReadonlySet<string> = new Set([
  'used',
  'test_time',
  'response_time',
  'balance_micro_usd',
  'balance_updated_time',
] satisfies (keyof ChannelRow)[]);

/** Returns whether two rows of a channel, from the same query, have the same settings. */
export function hasSameSettings(one: ChannelRow, other: ChannelRow): boolean {
  const before = Object.values(other);
  return Object.entries(one).every(([name, value], at) => value === before[at] || selfChangingColumns.has(name));
}

type ChannelQuery = ReturnType<typeof selectChannels>;

/** Filters channels, for lists and for bulk edits of all matches. */
export function filterChannels(channels: ChannelQuery, filter: ChannelFilter): ChannelQuery {
  const { keyword, name, type, status, group, models, tag } = filter;
  let query = channels;
  if (name !== undefined) query = query.where(contains('channel.name', name));
  if (type !== undefined) query = query.where('channel.provider', '=', findProviderId(type));
  if (status !== undefined) query = query.where('channel.status', '=', status);
  if (group !== undefined) query = query.where(isInGroup(group));
  if (models !== undefined) query = query.where(hasModelContaining(models));
  if (tag !== undefined) query = query.where('channel.tag', '=', tag);
  if (keyword !== undefined) {
    query = query.where((eb) =>
      eb.or([contains('channel.name', keyword), contains('channel.tag', keyword), hasModelContaining(keyword)]),
    );
  }
  return query;
}

/**
 * Finds the selected channels, oldest first, ignoring unknown ids. @throws AppError when more match than the limit
 */
export async function findSelectedChannels(
  channels: ChannelQuery,
  { ids, filter }: ChannelSelection,
): Promise<ChannelRow[]> {
  const named = ids === undefined ? channels : channels.where('channel.id', 'in', ids);
  const rows = await filterChannels(named, filter ?? {})
    .orderBy('channel.id')
    .limit(BULK_EDIT_MAX + 1)
    .execute();
  if (rows.length > BULK_EDIT_MAX)
    throw tooManyEntries('where', BULK_EDIT_MAX, `More than ${BULK_EDIT_MAX} channels match`);
  return rows;
}

function findProviderId(type: number): string {
  return providers.find(({ channelType }) => channelType === type)?.id ?? '';
}
