/** Records as a table for spreadsheets. */
import type { RouteInput } from '@switchyard/contract/route';
import type { UsageRecord, usageRecords } from '@switchyard/contract/usage-records';
import type { Context } from '../../context.ts';
import { csvLine, csvTime, oneExportAtATime } from '../../platform/csv.ts';
import { resolveFilter } from './filter.ts';
import { narrow } from './narrow.ts';
import { presentRecord } from './present-record.ts';
import { type RecordRow, selectOlder } from './record-queries.ts';
import { userIdOf, type Viewer } from './viewer.ts';

const ROWS_MAX = 100_000;
const CHUNK = 2_000;

const columns: readonly [string, (record: UsageRecord) => string | number][] = [
  ['time', (r) => csvTime(r.created_at)],
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

/**
 * The newest matching records, at most 100,000, as CSV.
 * @throws AppError `too-many-requests` while another export runs: each holds its rows in memory
 */
export function exportRecords(
  ctx: Context,
  viewer: Viewer,
  query: RouteInput<(typeof usageRecords)['export']>['query'],
): Promise<string> {
  return oneExportAtATime(ctx, async () => {
    const filter = await narrow(ctx, await resolveFilter(ctx, query, userIdOf(viewer)), 'all');
    const parts = [csvLine(columns.map(([name]) => name))];
    let last: RecordRow | undefined;
    for (let count = 0; count < ROWS_MAX; count += CHUNK) {
      const { rows } = await selectOlder(filter, last, CHUNK).execute(ctx.db.reports);
      parts.push(...rows.map((row) => lineOf(presentRecord(row, viewer))));
      last = rows.at(-1);
      if (rows.length < CHUNK) break;
    }
    return parts.join('');
  });
}

const lineOf = (record: UsageRecord): string => csvLine(columns.map(([, value]) => value(record)));
