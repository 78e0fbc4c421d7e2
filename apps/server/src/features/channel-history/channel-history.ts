/** How requests went on channels, hour by hour, for as long as it is kept. */
import type { channelTests, HistorySpan, ModelHistory } from '@switchyard/contract/channel-tests';
import type { RouteAnswer } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { availableModels } from '../models/models.ts';
import { visibleGroups } from '../user-groups/user-groups.ts';
import { HOUR_MS } from './attempt-counts.ts';
import { percentileOf } from './percentile.ts';
import { type CountColumn, countColumns, failureColumns, firstContentColumns } from './table.ts';

export { type AttemptCounts, attemptCounts } from './attempt-counts.ts';

type StatusPage = RouteAnswer<(typeof channelTests)['statusPage']>;
type Failure = ModelHistory['failures'][number];

const HOURS = 24;
const DAYS = 30;
const KEPT_DAYS = 90;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
const ROWS_REMOVED_AT_ONCE = 1_000;

const failedSum = sql<number>`sum(${sql.join(
  failureColumns.map((column) => sql.ref(column)),
  sql` + `,
)})`;

export async function historyOfChannel(ctx: Context, id: number): Promise<ModelHistory[]> {
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
    const lastHours = firstContentColumns.map((column) => sumOf(hours, column));
    return {
      model,
      hours: spans(firstHour, HOURS, HOUR_SECONDS, new Map(hours.map((row) => [row.hour, row]))),
      days: spans(day - DAYS + 1, DAYS, DAY_SECONDS, new Map(days.map((row) => [row.at, row]))),
      p50: percentileOf(lastHours, 0.5),
      p95: percentileOf(lastHours, 0.95),
      failures: failuresOf(days),
    };
  });
}

type Counts = Record<CountColumn, number>;

const sumOf = (rows: readonly Counts[], column: CountColumn): number =>
  rows.reduce((sum, row) => sum + row[column], 0);

const failedIn = (row: Counts): number => failureColumns.reduce((sum, column) => sum + row[column], 0);

function spans(
  first: number,
  count: number,
  seconds: number,
  rows: ReadonlyMap<number, Counts>,
): HistorySpan[] {
  return Array.from({ length: count }, (_, at) => {
    const row = rows.get(first + at);
    return {
      from: (first + at) * seconds,
      answered: row?.answered ?? 0,
      failed: row === undefined ? 0 : failedIn(row),
    };
  });
}

const kindOfColumn = {
  rate_limited: 'rate-limited',
  out_of_credit: 'out-of-credit',
  unauthorised: 'unauthorised',
  overloaded: 'overloaded',
  unreachable: 'unreachable',
  garbled: 'garbled',
} as const satisfies Record<(typeof failureColumns)[number], Failure['kind']>;

function failuresOf(rows: readonly Counts[]): Failure[] {
  return failureColumns
    .map((column) => ({ kind: kindOfColumn[column], count: sumOf(rows, column) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
}

const PAGE_MS = 60_000;
const pages = new WeakMap<Context, { until: number; page: Promise<StatusPage> }>();

/**
 * For anybody, from memory for a minute: the models of public groups, and nothing of the channels behind them.
 * @throws AppError `switched-off`
 */
export function statusPage(ctx: Context): Promise<StatusPage> {
  if (!ctx.settings.statusPage) throw new AppError('switched-off', 'The operator publishes no status page');
  const now = ctx.clock.now();
  const known = pages.get(ctx);
  if (known !== undefined && known.until > now) return known.page;
  const page = loadStatusPage(ctx);
  pages.set(ctx, { until: now + PAGE_MS, page });
  page.catch(() => pages.delete(ctx));
  return page;
}

/** A request that one channel fails goes to another: an hour went as well as it did on its best channel. */
async function loadStatusPage(ctx: Context): Promise<StatusPage> {
  const today = Math.floor(ctx.clock.now() / (HOUR_MS * HOURS));
  const groups = JSON.stringify(Object.keys(await visibleGroups(ctx, undefined)));
  // What only other groups use is nobody else's business.
  const reachable = ctx.db.reader
    .selectFrom('channel')
    .select('id')
    .where('deleted_time', 'is', null)
    .where(
      sql<boolean>`exists (select 1 from json_each(channel.groups) where value in (select value from json_each(${groups})))`,
    );
  const hourly = ctx.db.reader
    .selectFrom('channel_hour')
    .select(['model', 'hour', 'channel_id'])
    .select((eb) => [eb.fn.sum<number>('answered').as('answered'), failedSum.as('failed')])
    .where('hour', '>=', (today - DAYS + 1) * HOURS)
    .where('channel_id', 'in', reachable)
    .groupBy(['model', 'hour', 'channel_id']);
  const rows = await ctx.db.reader
    .selectFrom(
      ctx.db.reader
        .selectFrom(hourly.as('each'))
        .select([
          'model',
          sql<number>`hour / 24`.as('day'),
          sql<number>`max(answered * 1.0 / (answered + failed))`.as('share'),
          sql<number>`sum(answered + failed)`.as('attempts'),
        ])
        .where(sql<boolean>`answered + failed > 0`)
        .groupBy(['model', 'hour'])
        .as('best'),
    )
    .select(['model', 'day', sql<number>`sum(share * attempts) / sum(attempts)`.as('uptime')])
    .groupBy(['model', 'day'])
    .execute();
  const uptimes = new Map(rows.map(({ model, day, uptime }) => [`${day} ${model}`, uptime]));
  const models = Object.keys(await availableModels(ctx, undefined)).toSorted();
  return {
    models: models.map((model) => ({
      model,
      days: Array.from({ length: DAYS }, (_, at) => {
        const day = today - DAYS + 1 + at;
        const uptime = uptimes.get(`${day} ${model}`);
        return { from: day * DAY_SECONDS, uptime: uptime === undefined ? null : rounded(uptime) };
      }),
    })),
  };
}

/** Finer shares would tell how many requests there were. */
const rounded = (share: number): number => Math.floor(share * 1_000) / 1_000;

/** Forgets what is older than it is kept. */
export async function removeOldHours(ctx: Context): Promise<void> {
  const first = Math.floor(ctx.clock.now() / HOUR_MS) - KEPT_DAYS * HOURS;
  for (;;) {
    const removed = await sql`delete from channel_hour where (channel_id, hour, model) in
      (select channel_id, hour, model from channel_hour where hour < ${first} limit ${ROWS_REMOVED_AT_ONCE})`.execute(
      ctx.db.writer,
    );
    if ((removed.numAffectedRows ?? 0n) < BigInt(ROWS_REMOVED_AT_ONCE)) return;
  }
}
