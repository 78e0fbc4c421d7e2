/** Usage of the last days, from the hourly rollup. */

import { toPoints } from '@switchyard/contract/money';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import type { Dashboard, dashboard, Figures } from '@switchyard/contract/usage/dashboard';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';

type Period = RouteInput<(typeof dashboard)['own']>['query'];
type Rate = RouteResponse<(typeof dashboard)['rate']>;
type LegacyDays = RouteResponse<(typeof dashboard)['legacy']>;

const HOUR = 3_600;
const DAY = 24 * HOUR;
const LEGACY_DAYS = 8;
const MINUTE = 60;

/**
 * Returns the usage of today and the days before it, by the calendar of the time zone. `before` is the previous
 * period, up to the same time of day.
 * @param userId undefined for all users
 */
export async function readDashboard(
  ctx: Context,
  userId: number | undefined,
  { days, utc_offset }: Period,
): Promise<Dashboard> {
  const now = nowSeconds(ctx.clock);
  const start = getDayStart(now, utc_offset) - (days - 1) * DAY;
  const [current, before, rows] = await Promise.all([
    sumFigures(ctx, userId, start, now + 1),
    sumFigures(ctx, userId, start - days * DAY, now + 1 - days * DAY),
    sumDays(ctx, userId, start, now + 1, utc_offset),
  ]);
  return { current, before, days: rows.map((day) => ({ ...day, quota: toPoints(day.quota) })) };
}

/** Returns the last eight days in UTC, with the names that existing clients read. */
export async function readLegacyDays(ctx: Context, userId: number): Promise<LegacyDays> {
  const now = nowSeconds(ctx.clock);
  const start = getDayStart(now, 0) - (LEGACY_DAYS - 1) * DAY;
  const rows = await sumDays(ctx, userId, start, now + 1, 0);
  return rows.map((row) => ({
    Date: row.date,
    ModelName: row.model_name,
    RequestCount: row.requests,
    Quota: row.quota,
    PromptTokens: row.prompt_tokens,
    CompletionTokens: row.completion_tokens,
    RequestTime: row.duration_ms,
  }));
}

/** Returns a caller's rate within the last minute. Calls count when they end. */
export async function readRate(
  ctx: Context,
  { userId, groupSymbol }: Pick<Caller, 'userId' | 'groupSymbol'>,
): Promise<Rate> {
  const [used, group] = await Promise.all([
    ctx.db.reader
      .selectFrom('usage_record')
      .select((eb) => [
        eb.fn.countAll<number>().as('rpm'),
        sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as('tpm'),
      ])
      .where('user_id', '=', userId)
      .where('created_at', '>', nowSeconds(ctx.clock) - MINUTE)
      .where('type', 'in', ['consume', 'error'])
      .executeTakeFirstOrThrow(),
    ctx.db.reader
      .selectFrom('user_group')
      .select(['api_rate', 'tokens_per_minute'])
      .where('symbol', '=', groupSymbol)
      .executeTakeFirst(),
  ]);
  return { ...used, max_rpm: group?.api_rate ?? 0, max_tpm: group?.tokens_per_minute ?? 0 };
}

function getDayStart(now: number, utcOffset: number): number {
  const local = now + utcOffset * 60;
  return local - (local % DAY) - utcOffset * 60;
}

const getHourStart = (time: number): number => time - (time % HOUR);

function isUser(userId: number | undefined) {
  return userId === undefined ? sql`true` : sql`user_id = ${userId}`;
}

const sums = [
  'quota',
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'duration_ms',
  'cost',
  'costed_quota',
] as const;
type Sums = Record<(typeof sums)[number], number>;

/** @param to UTC seconds, exclusive */
async function sumFigures(ctx: Context, userId: number | undefined, from: number, to: number): Promise<Figures> {
  const { rows } =
    await sql<Sums>`select ${sql.join(sums.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0) as ${sql.ref(name)}`))}
    from (
      select ${hourSums} from usage_hour where hour > ${from - HOUR} and hour < ${to} and ${isUser(userId)}
      union all ${subtractRecords(userId, getHourStart(from), from)}
      union all ${subtractRecords(userId, to, getHourStart(to + HOUR - 1))}
    ) as parts`.execute(ctx.db.reports);
  const [row] = rows;
  if (row === undefined) throw new Error('The usage query returned no row');
  const { quota, requests, errors, prompt_tokens, completion_tokens, duration_ms, cost, costed_quota } = row;
  return {
    quota: toPoints(quota),
    requests,
    errors,
    prompt_tokens,
    completion_tokens,
    request_time: requests === 0 ? 0 : Math.round(duration_ms / requests),
    // Figures of all users are read by administrators only.
    margin: userId === undefined ? { charged: toPoints(costed_quota), cost: toPoints(cost) } : null,
  };
}

const hourSums = sql.join(sums.map((name) => sql.ref(name)));

/**
 * Subtracts the records of an hour that lie outside the period, because local days can begin within an hour. Deleted
 * records can't be subtracted and stay in their hour.
 */
function subtractRecords(userId: number | undefined, from: number, to: number) {
  return sql`select ${sql.join(recordSums(-1))} from usage_record
    where created_at >= ${from} and created_at < ${to} and type in ('consume', 'error') and ${isUser(userId)}`;
}

/** Returns a record's contribution to its hour's sums, as the ledger adds it. */
const recordSums = (sign: 1 | -1) => {
  const ofAnswered = (value: RawBuilder<unknown>) => sql`iif(type = 'consume', ${value}, 0) * ${sql.lit(sign)}`;
  const values: Record<keyof Sums, RawBuilder<unknown>> = {
    quota: ofAnswered(sql`quota`),
    requests: ofAnswered(sql`1`),
    errors: sql`iif(type = 'error', ${sql.lit(sign)}, 0)`,
    prompt_tokens: ofAnswered(sql`prompt_tokens`),
    completion_tokens: ofAnswered(sql`completion_tokens`),
    duration_ms: ofAnswered(sql`duration_ms`),
    cost: ofAnswered(sql`coalesce(cost, 0)`),
    costed_quota: ofAnswered(sql`iif(cost is null, 0, quota)`),
  };
  return sums.map((name) => sql`${values[name]} as ${sql.ref(name)}`);
};

interface DaySum extends Omit<Sums, 'errors' | 'cost' | 'costed_quota'> {
  date: string;
  model_name: string;
}

/**
 * Sums up days. An hour that midnight divides belongs to the later day, minus the calls before midnight, which are
 * added to the earlier day. The join order is fixed, because SQLite would otherwise compare each record with all
 * divided hours.
 */
async function sumDays(
  ctx: Context,
  userId: number | undefined,
  from: number,
  to: number,
  utcOffset: number,
): Promise<DaySum[]> {
  const dateOf = (time: RawBuilder<unknown>) => sql`date(${time} + ${utcOffset * 60}, 'unixepoch')`;
  const cuts: number[] = [];
  if (from % HOUR !== 0) for (let midnight = from; midnight < to; midnight += DAY) cuts.push(midnight);
  const cutCalls = (date: RawBuilder<unknown>, sign: 1 | -1, first: number) => sql`select ${date} as date, model,
      ${sql.join(recordSums(sign))}
    from (select cast(value as bigint) as midnight from json_each(${JSON.stringify(cuts)})) as cuts cross join usage_record
    where midnight >= ${first} and created_at >= midnight - midnight % ${HOUR} and created_at < midnight and type in ('consume', 'error') and ${isUser(userId)}`;
  const { rows } = await sql<DaySum>`select date, model as model_name, sum(quota) as quota, sum(requests) as requests,
      sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
      sum(duration_ms) as duration_ms
    from (
      select ${dateOf(sql`hour + ${HOUR - 1}`)} as date, model, ${hourSums} from usage_hour
        where hour > ${from - HOUR} and hour < ${to} and ${isUser(userId)}
      union all ${cutCalls(dateOf(sql`midnight`), -1, from)}
      union all ${cutCalls(dateOf(sql`created_at`), 1, from + 1)}
    ) as parts group by 1, 2 having sum(requests) > 0 order by 1, 2`.execute(ctx.db.reports);
  return rows;
}
