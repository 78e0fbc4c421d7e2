/** Hourly history of requests on channels, within its retention time. */

import type { HistorySpan, ModelHistory } from '@switchyard/contract/channels/channel-health';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { matchesAnyKey, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { HOUR_MS } from './attempt-counts.ts';
import {
  type CountColumn,
  countColumns,
  failureColumns,
  firstContentBounds,
  firstContentColumns,
  KEPT_DAYS,
} from './table.ts';

export { type AttemptCounter, getAttemptCounter } from './attempt-counts.ts';
export { readStatusPage } from './status-page.ts';

type Failure = ModelHistory['failures'][number];

const HOURS = 24;
const DAYS = 30;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export async function readChannelHistory(ctx: Context, id: number): Promise<ModelHistory[]> {
  const hour = Math.floor(ctx.clock.now() / HOUR_MS);
  const day = Math.floor(hour / HOURS);
  const firstHour = hour - HOURS + 1;
  const byDay = await ctx.db.reader
    .selectFrom('channel_hour')
    .select(['model', sql<number>`hour / 24`.as('at')])
    .select((eb) => countColumns.map((column) => eb.fn.sum<number>(column).as(column)))
    .where('channel_id', '=', id)
    .where('hour', '>=', (day - DAYS + 1) * HOURS)
    .groupBy(['model', 'at'])
    .execute();
  const byHour = await ctx.db.reader
    .selectFrom('channel_hour')
    .selectAll()
    .where('channel_id', '=', id)
    .where('hour', '>=', firstHour)
    .execute();
  const models = [...new Set(byDay.map(({ model }) => model))].toSorted();
  return models.map((model) => {
    const days = byDay.filter((row) => row.model === model);
    const hours = byHour.filter((row) => row.model === model);
    const lastHours = firstContentColumns.map((column) => sumColumn(hours, column));
    return {
      model,
      hours: buildSpans(firstHour, HOURS, HOUR_SECONDS, new Map(hours.map((row) => [row.hour, row]))),
      days: buildSpans(day - DAYS + 1, DAYS, DAY_SECONDS, new Map(days.map((row) => [row.at, row]))),
      p50: estimatePercentile(lastHours, 0.5),
      p95: estimatePercentile(lastHours, 0.95),
      failures: summarizeFailures(days),
    };
  });
}

type Counts = Record<CountColumn, number>;

const sumColumn = (rows: readonly Counts[], column: CountColumn): number =>
  rows.reduce((sum, row) => sum + row[column], 0);

const countFailed = (row: Counts): number => failureColumns.reduce((sum, column) => sum + row[column], 0);

function buildSpans(first: number, count: number, seconds: number, rows: ReadonlyMap<number, Counts>): HistorySpan[] {
  return Array.from({ length: count }, (_, at) => {
    const row = rows.get(first + at);
    return {
      from: (first + at) * seconds,
      answered: row?.answered ?? 0,
      failed: row === undefined ? 0 : countFailed(row),
    };
  });
}

const kindByColumn = {
  rate_limited: 'rate-limited',
  out_of_credit: 'out-of-credit',
  unauthorised: 'unauthorised',
  overloaded: 'overloaded',
  unreachable: 'unreachable',
  garbled: 'garbled',
} as const satisfies Record<(typeof failureColumns)[number], Failure['kind']>;

function summarizeFailures(rows: readonly Counts[]): Failure[] {
  return failureColumns
    .map((column) => ({ kind: kindByColumn[column], count: sumColumn(rows, column) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
}

/** Removes hours older than `KEPT_DAYS`. @returns the number of removed rows */
export function removeOldAttemptHours(ctx: Context, stopping?: AbortSignal): Promise<number> {
  const first = Math.floor(ctx.clock.now() / HOUR_MS) - KEPT_DAYS * HOURS;
  return processRowsInChunks(
    ctx.db,
    (trx) => trx.selectFrom('channel_hour').select(['channel_id', 'hour', 'model']).where('hour', '<', first),
    (trx, rows) =>
      trx
        .deleteFrom('channel_hour')
        .where(matchesAnyKey(['channel_id', 'hour', 'model'], rows))
        .execute(),
    stopping,
  );
}

/**
 * Estimates a percentile from histogram buckets, in milliseconds; null without a response.
 * @param counts of the buckets in order; the last one is open and counts as its lower end
 */
export function estimatePercentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [at, count] of counts.entries()) {
    const lower = at === 0 ? 0 : (firstContentBounds[at - 1] ?? 0);
    const upper = firstContentBounds[at] ?? lower;
    if (before + count >= share * total && count > 0)
      return Math.round(lower + ((share * total - before) / count) * (upper - lower));
    before += count;
  }
  return firstContentBounds.at(-1) ?? null;
}
