/** Exports records as a table for spreadsheets. */
import type { RouteInput } from '@switchyard/contract/route';
import type { UsageRecord, usageRecords } from '@switchyard/contract/usage/usage-records';
import type { Context } from '../../context.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv.ts';
import { getViewerUserId, resolveFilter, type Viewer } from './filter.ts';
import { narrowFilter } from './narrow-filter.ts';
import { presentRecord } from './present-record.ts';
import { type RecordRow, selectNewestAfter } from './record-queries.ts';

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
