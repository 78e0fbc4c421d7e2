/**
 * Usage records: one row for each call and each change of a balance, with lists, totals and receipts. Only the ledger
 * writes them.
 */

import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type {
  UsageRecord,
  UsageRecordDetail,
  UsageTotals,
  usageRecords,
} from '@switchyard/contract/usage/usage-records';
import type { Context } from '../../context.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv-export.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { narrowFilter, type WantedRows } from './narrow-filter.ts';
import { presentDetail, presentRecord } from './present-record.ts';
import { getViewerUserId, type RecordFilter, resolveFilter, type Viewer } from './record-filter.ts';
import { countNonCalls, type RecordRow, selectNewestAfter, selectPage, selectRecord } from './record-queries.ts';
import { NO_TOTALS, sumCalls } from './record-totals.ts';

export { updateDayRollups } from './day-rollups.ts';
export { exportToClickhouse } from './export-to-clickhouse.ts';
export { presentDecisions } from './present-record.ts';
export { removeRecordsBefore } from './remove-records.ts';
export { readGroupTotals, writeGroupRollups } from './user-group-day-rollups.ts';

type ListQuery = RouteInput<(typeof usageRecords)['list']>['query'];
type TotalsQuery = RouteInput<(typeof usageRecords)['totals']>['query'];

/** Returns records, newest first by default. */
export async function listRecords(ctx: Context, viewer: Viewer, query: ListQuery): Promise<Page<UsageRecord>> {
  const { page, size, order = '-created_at' } = query;
  const filter = await resolveFilter(ctx, query, getViewerUserId(viewer));
  const total_count = await countRecords(ctx, filter);
  if (total_count === 0) return { data: [], page, size, total_count };
  const narrowed = await narrowFilter(ctx, filter, toWantedRows(order, page * size));
  const { rows } = await selectPage(narrowed, order, size, (page - 1) * size).execute(ctx.db.reports);
  return { data: rows.map((row) => presentRecord(row, viewer)), page, size, total_count };
}

/** Returns the totals of calls. Other records add nothing. */
export async function readUsageTotals(ctx: Context, viewer: Viewer, query: TotalsQuery): Promise<UsageTotals> {
  const filter = await resolveFilter(ctx, query, getViewerUserId(viewer));
  const isOfCalls = filter.type === undefined || filter.type === 'consume';
  const { quota, requests, prompt_tokens, completion_tokens } = isOfCalls ? await sumCalls(ctx, filter) : NO_TOTALS;
  return { quota: toPoints(quota), requests, prompt_tokens, completion_tokens };
}

/** @throws AppError `not-found`, also for another user's record */
export async function getRecord(ctx: Context, viewer: Viewer, id: number): Promise<UsageRecordDetail> {
  const { rows } = await selectRecord(id, getViewerUserId(viewer)).execute(ctx.db.writer);
  const row: RecordRow | undefined = rows[0];
  if (row === undefined) throw notFound('record', id);
  return presentDetail(ctx, row, viewer);
}

async function countRecords(ctx: Context, filter: RecordFilter): Promise<number> {
  const { type } = filter;
  const others = async (): Promise<number> => (await countNonCalls(filter).execute(ctx.db.reports)).rows[0]?.count ?? 0;
  if (type !== undefined && type !== 'consume' && type !== 'error') return others();
  const { requests, errors } = await sumCalls(ctx, filter);
  if (type === 'consume') return requests;
  return type === 'error' ? errors : requests + errors + (await others());
}

const byTime = /^(-?)(?:id|created_at)$/;

function toWantedRows(order: string, rows: number): WantedRows {
  const time = byTime.exec(order);
  if (time === null) return 'all';
  return { order: time[1] === '-' ? 'newest' : 'oldest', rows };
}

/** Columns of an export. */
const columns: readonly [string, (record: UsageRecord) => string | number][] = [
  ['time', (r) => formatCsvTime(r.created_at)],
  ['request_id', (r) => r.request_id],
  ['type', (r) => r.type],
  ['username', (r) => r.username],
  ['token', (r) => r.token_name],
  ['model', (r) => r.model_name],
  ['group', (r) => r.group],
  ['quota', (r) => r.quota],
  ['prompt_tokens', (r) => r.prompt_tokens],
  ['completion_tokens', (r) => r.completion_tokens],
  ['cached_tokens', (r) => r.cached_tokens],
  ['request_time_ms', (r) => r.request_time],
  ['first_byte_time_ms', (r) => r.first_byte_time],
  ['stream', (r) => String(r.is_stream)],
  ['source_ip', (r) => r.source_ip],
  ['usage_source', (r) => r.usage_source],
  ['cost', (r) => r.cost ?? ''],
  ['channel', (r) => r.channel?.name ?? ''],
  ['content', (r) => r.content],
];

/** Yields the newest matching records, at most 100,000, as CSV. */
export async function* exportRecords(
  ctx: Context,
  viewer: Viewer,
  query: RouteInput<(typeof usageRecords)['export']>['query'],
): AsyncGenerator<string> {
  const filter = await narrowFilter(ctx, await resolveFilter(ctx, query, getViewerUserId(viewer)), 'all');
  const present = (row: RecordRow): UsageRecord => presentRecord(row, viewer);
  yield* streamCsv(columns, present, async (last, size) => {
    const { rows } = await selectNewestAfter(filter, last, size).execute(ctx.db.reports);
    return rows;
  });
}
