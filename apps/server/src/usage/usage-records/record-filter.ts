/** Filter of a list of records, with names resolved to ids. Absent fields match everything. */

import type { RouteInput } from '@switchyard/contract/route';
import type { usageRecords } from '@switchyard/contract/usage/usage-records';
import type { RecordType } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase } from '../../db/paging.ts';

export interface RecordFilter {
  type?: RecordType;
  /** UTC seconds, both inclusive. */
  start?: number;
  end?: number;
  model?: string;
  userId?: number;
  channelId?: number;
  keyIds?: readonly number[];
  requestId?: string;
  isStream?: boolean;
  /** Only calls whose response named another model than the requested one. */
  isOtherModel?: true;
  group?: string;
  address?: string;
  /** Ranges that contain all wanted matches, if they are known. */
  within?: readonly RecordRange[];
}

/** Range in UTC seconds, both inclusive; of one user if `userId` is set. */
export interface RecordRange {
  from: number;
  to: number;
  userId?: number;
}

type Query = RouteInput<(typeof usageRecords)['totals']>['query'];

/** User id that matches nothing, for a name that does not exist. */
const NO_USER_ID = -1;
const KEYS_MAX = 1_000;

/** @param userId the only user whose records may be read; undefined for administrators */
export async function resolveFilter(ctx: Context, query: Query, userId: number | undefined): Promise<RecordFilter> {
  const filter: RecordFilter = {};
  if (query.log_type !== undefined) filter.type = query.log_type;
  if (query.start_timestamp !== undefined) filter.start = query.start_timestamp;
  if (query.end_timestamp !== undefined) filter.end = query.end_timestamp;
  if (query.model_name !== undefined) filter.model = query.model_name;
  if (query.request_id !== undefined) filter.requestId = query.request_id;
  if (query.is_stream !== undefined) filter.isStream = query.is_stream;
  if ('other_model' in query && query.other_model === true) filter.isOtherModel = true;
  if (query.channel_id !== undefined) filter.channelId = query.channel_id;
  if (query.group !== undefined) filter.group = query.group;
  if (query.source_ip !== undefined) filter.address = query.source_ip;
  if (query.user_id !== undefined) filter.userId = query.user_id;
  if (query.username !== undefined) filter.userId = await findUserId(ctx, query.username);
  if (userId !== undefined) filter.userId = userId;
  await addKeyFilter(ctx, filter, query);
  return filter;
}

async function findUserId(ctx: Context, username: string): Promise<number> {
  const row = await ctx.db.writer
    .selectFrom('user')
    .select('id')
    .where(equalsIgnoringCase('username', username))
    .executeTakeFirst();
  return row?.id ?? NO_USER_ID;
}

/**
 * Adds a filter by API keys. If all keys have one owner, the filter includes the owner, whose index finds the
 * records.
 */
async function addKeyFilter(ctx: Context, filter: RecordFilter, query: Query): Promise<void> {
  const { token_name, token_id } = query;
  if (token_name === undefined && token_id === undefined) return;
  let keys = ctx.db.reader.selectFrom('api_key').select(['id', 'user_id']).limit(KEYS_MAX);
  if (token_id !== undefined) keys = keys.where('id', '=', token_id);
  if (token_name !== undefined) keys = keys.where('name', '=', token_name);
  if (filter.userId !== undefined) keys = keys.where('user_id', '=', filter.userId);
  const rows = await keys.execute();
  filter.keyIds = rows.map((row) => row.id);
  const owners = new Set(rows.map((row) => row.user_id));
  const [owner = NO_USER_ID] = owners;
  if (owners.size <= 1) filter.userId = owner;
}

/**
 * Viewer of records: a user, who sees only their own records without channels, or an administrator, who sees all
 * records.
 */
export type Viewer = { userId: number } | 'administrator';

export function getViewerUserId(viewer: Viewer): number | undefined {
  return viewer === 'administrator' ? undefined : viewer.userId;
}
