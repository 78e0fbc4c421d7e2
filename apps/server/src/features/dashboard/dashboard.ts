/** Usage of the last days, from the hourly roll-up. */
import type { Dashboard, dashboard, Figures } from '@switchyard/contract/dashboard';
import { toPoints } from '@switchyard/contract/money';
import type { RouteAnswer, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';

type Period = RouteInput<(typeof dashboard)['own']>['query'];
type Rate = RouteAnswer<(typeof dashboard)['rate']>;
type LegacyDays = RouteAnswer<(typeof dashboard)['legacy']>;

const DAY = 86_400;
const LEGACY_DAYS = 8;
const MINUTE = 60;

/**
 * Today and the days before it, by the calendar of the time zone; `before` is the same stretch one period earlier, up
 * to the same time of day.
 * @param userId undefined for everybody
 */
export async function readDashboard(
  ctx: Context,
  userId: number | undefined,
  { days, utc_offset }: Period,
): Promise<Dashboard> {
  const now = nowSeconds(ctx.clock);
  const start = startOfDay(now, utc_offset) - (days - 1) * DAY;
  const [current, before, rows] = await Promise.all([
    sumFigures(ctx, userId, start, now),
    sumFigures(ctx, userId, start - days * DAY, now - days * DAY),
    sumDays(ctx, userId, start, now, utc_offset),
  ]);
  return {
    current,
    before,
    days: rows.map((day) => ({ ...day, quota: toPoints(day.quota) })),
  };
}

/** The last eight days in UTC, in the names that existing clients read. */
export async function readLegacyDays(ctx: Context, userId: number): Promise<LegacyDays> {
  const now = nowSeconds(ctx.clock);
  const start = startOfDay(now, 0) - (LEGACY_DAYS - 1) * DAY;
  const rows = await sumDays(ctx, userId, start, now, 0);
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

/** Calls count when they end. */
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

function startOfDay(now: number, utcOffset: number): number {
  const local = now + utcOffset * 60;
  return local - (local % DAY) - utcOffset * 60;
}

function ofUser(userId: number | undefined) {
  return userId === undefined ? sql`true` : sql`user_id = ${userId}`;
}

async function sumFigures(
  ctx: Context,
  userId: number | undefined,
  from: number,
  to: number,
): Promise<Figures> {
  const { rows } = await sql<{
    quota: number;
    requests: number;
    errors: number;
    prompt_tokens: number;
    completion_tokens: number;
    duration_ms: number;
    cost: number;
    costed_quota: number;
  }>`select coalesce(sum(quota), 0) as quota, coalesce(sum(requests), 0) as requests,
      coalesce(sum(errors), 0) as errors, coalesce(sum(prompt_tokens), 0) as prompt_tokens,
      coalesce(sum(completion_tokens), 0) as completion_tokens, coalesce(sum(duration_ms), 0) as duration_ms,
      coalesce(sum(cost), 0) as cost, coalesce(sum(costed_quota), 0) as costed_quota
    from usage_hour where hour >= ${from} and hour <= ${to} and ${ofUser(userId)}`.execute(ctx.db.reader);
  const {
    duration_ms = 0,
    cost = 0,
    costed_quota = 0,
    quota = 0,
    requests = 0,
    errors = 0,
    prompt_tokens = 0,
    completion_tokens = 0,
  } = rows[0] ?? {};
  return {
    quota: toPoints(quota),
    requests,
    errors,
    prompt_tokens,
    completion_tokens,
    request_time: requests === 0 ? 0 : Math.round(duration_ms / requests),
    // Everybody's figures are read by administrators only.
    margin: userId === undefined ? { charged: toPoints(costed_quota), cost: toPoints(cost) } : null,
  };
}

interface DaySum {
  date: string;
  model_name: string;
  quota: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  duration_ms: number;
}

async function sumDays(
  ctx: Context,
  userId: number | undefined,
  from: number,
  to: number,
  utcOffset: number,
): Promise<DaySum[]> {
  const { rows } = await sql<DaySum>`select date(hour + ${utcOffset * 60}, 'unixepoch') as date,
      model as model_name, sum(quota) as quota, sum(requests) as requests, sum(prompt_tokens) as prompt_tokens,
      sum(completion_tokens) as completion_tokens, sum(duration_ms) as duration_ms
    from usage_hour where hour >= ${from} and hour <= ${to} and requests > 0 and ${ofUser(userId)}
    group by 1, 2 order by 1, 2`.execute(ctx.db.reader);
  return rows;
}
