/** Public status page: success of requests by public model, without details of the channels behind it. */
import type { channelTests } from '@switchyard/contract/channels/channel-tests';
import type { RouteResponse } from '@switchyard/contract/route';
import { sql } from 'kysely';
import { listVisibleGroups } from '../../accounts/user-groups/user-groups.ts';
import { listAvailableModels } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { HOUR_MS } from './attempt-counts.ts';
import { failedSum, KEPT_DAYS } from './table.ts';

type StatusPage = RouteResponse<(typeof channelTests)['statusPage']>;
type State = StatusPage['models'][number]['state'];

/** Minimum number of requests: see `selectHourly`. */
interface RequestCounts {
  answered: number;
  requests: number;
}

interface DayCounts extends RequestCounts {
  /** Last hour in which most requests failed, in hours since 1970. */
  incident: number | null;
}

const HOURS = 24;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
const PAGE_MS = 60_000;
/** Cache time of the daily counts, which read many rows. */
const DAYS_MS = 10 * 60_000;
/** Number of recent hours that decide the current state. */
const CURRENT_HOURS = 2;
/** Fewer requests do not count against a model. */
const REQUESTS_MIN = 3;
const OPERATIONAL_SHARE = 0.95;
const OUTAGE_SHARE = 0.5;

const cachedPages = createCachedLoader(PAGE_MS, loadStatusPage);
const cachedDays = createCachedLoader(DAYS_MS, readDays);

/**
 * Returns the status page, cached for a minute; daily counts are cached for ten.
 * @throws AppError `switched-off`
 */
export function readStatusPage(ctx: Context): Promise<StatusPage> {
  if (!ctx.settings.statusPage) throw new AppError('switched-off', 'The status page is disabled');
  return cachedPages(ctx);
}

/** Returns a loader that caches its value for some milliseconds; a failure isn't cached. */
function createCachedLoader<T>(ms: number, load: (ctx: Context) => Promise<T>): (ctx: Context) => Promise<T> {
  const cache = new WeakMap<Context, { until: number; value: Promise<T> }>();
  return (ctx) => {
    const now = ctx.clock.elapsed();
    const known = cache.get(ctx);
    if (known !== undefined && known.until > now) return known.value;
    const value = load(ctx);
    const loading = { until: now + ms, value };
    cache.set(ctx, loading);
    // Callers get the error; a newer entry stays.
    value.catch(() => cache.get(ctx) === loading && cache.delete(ctx));
    return value;
  };
}

async function loadStatusPage(ctx: Context): Promise<StatusPage> {
  const hour = Math.floor(ctx.clock.now() / HOUR_MS);
  const firstHour = hour - HOURS + 1;
  const firstDay = firstDayAt(hour);
  const names = Object.keys(await listAvailableModels(ctx, undefined)).toSorted();
  const [days, hours] = await Promise.all([cachedDays(ctx), readHours(ctx, firstHour)]);
  return {
    first_day: firstDay * DAY_SECONDS,
    first_hour: firstHour * HOUR_SECONDS,
    models: names.map((model) => {
      const ownHours = hours.get(model) ?? new Map<number, RequestCounts>();
      const ownDays = days.get(model) ?? new Map<number, DayCounts>();
      const incidents = [...ownDays.values()].flatMap(({ incident }) => incident ?? []);
      return {
        model,
        state: deriveState(ownHours, hour),
        uptime: computeUptime(sumCounts(ownDays.values())),
        hours: Array.from({ length: HOURS }, (_, at) => computeUptime(ownHours.get(firstHour + at))),
        days: Array.from({ length: KEPT_DAYS }, (_, at) => computeUptime(ownDays.get(firstDay + at))),
        last_incident: incidents.length === 0 ? null : Math.max(...incidents) * HOUR_SECONDS,
      };
    }),
  };
}

/** Returns the current state, or that of the last day if there were too few recent requests. */
function deriveState(hours: ReadonlyMap<number, RequestCounts>, hour: number): State {
  const now = sumCounts([...hours].filter(([at]) => at > hour - CURRENT_HOURS).map(([, went]) => went));
  const went = now.requests >= REQUESTS_MIN ? now : sumCounts(hours.values());
  if (went.requests === 0) return 'unknown';
  const share = went.answered / went.requests;
  if (share >= OPERATIONAL_SHARE) return 'operational';
  if (went.requests < REQUESTS_MIN) return 'unknown';
  return share >= OUTAGE_SHARE ? 'degraded' : 'down';
}

function sumCounts(all: Iterable<RequestCounts>): RequestCounts {
  const sum: RequestCounts = { answered: 0, requests: 0 };
  for (const { answered, requests } of all) {
    sum.answered += answered;
    sum.requests += requests;
  }
  return sum;
}

/** Rounds down to per mille: finer shares would reveal the number of requests. */
function computeUptime(went: RequestCounts | undefined): number | null {
  if (went === undefined || went.requests === 0) return null;
  return Math.floor((went.answered / went.requests) * 1_000) / 1_000;
}

/**
 * Selects requests by model and hour. A request that fails on one channel is retried on another, so the number of
 * requests is estimated as the successes, or the attempts of the busiest channel, if that is more.
 * @param since hours since 1970
 */
async function selectHourly(ctx: Context, since: number) {
  const groups = JSON.stringify(Object.keys(await listVisibleGroups(ctx, undefined)));
  // Channels of non-public groups must not be visible.
  const reachable = ctx.db.reader
    .selectFrom('channel')
    .select('id')
    .where('deleted_time', 'is', null)
    .where(
      sql<boolean>`exists (select 1 from json_each(channel.groups) where value in (select value from json_each(${groups})))`,
    );
  return ctx.db.reader
    .selectFrom('channel_hour')
    .select(['model', 'hour'])
    .select((eb) => [
      eb.fn.sum<number>('answered').as('answered'),
      sql<number>`max(cast(sum(answered) as bigint), max(answered + ${failedSum}))`.as('requests'),
    ])
    .where('hour', '>=', since)
    .where('channel_id', 'in', reachable)
    .groupBy(['model', 'hour']);
}

type ByModel<W extends RequestCounts> = ReadonlyMap<string, ReadonlyMap<number, W>>;

async function readHours(ctx: Context, first: number): Promise<ByModel<RequestCounts>> {
  const rows = await (await selectHourly(ctx, first)).execute();
  return groupByModel(rows.map(({ hour, ...row }) => ({ ...row, at: hour })));
}

async function readDays(ctx: Context): Promise<ByModel<DayCounts>> {
  const first = firstDayAt(Math.floor(ctx.clock.now() / HOUR_MS));
  const each = await selectHourly(ctx, first * HOURS);
  const rows = await ctx.db.reader
    .selectFrom(each.as('each'))
    .select(['model', sql<number>`hour / 24`.as('at')])
    .select((eb) => [
      eb.fn.sum<number>('answered').as('answered'),
      eb.fn.sum<number>('requests').as('requests'),
      sql<
        number | null
      >`max(case when requests >= ${REQUESTS_MIN} and answered < requests * ${sql.lit(OUTAGE_SHARE)} then hour end)`.as(
        'incident',
      ),
    ])
    .groupBy(['model', 'at'])
    .execute();
  return groupByModel(rows);
}

function firstDayAt(hour: number): number {
  return Math.floor(hour / HOURS) - KEPT_DAYS + 1;
}

function groupByModel<W extends RequestCounts>(rows: readonly (W & { model: string; at: number })[]): ByModel<W> {
  const models = new Map<string, Map<number, W>>();
  for (const row of rows) {
    const own = models.get(row.model) ?? new Map<number, W>();
    own.set(row.at, row);
    models.set(row.model, own);
  }
  return models;
}
