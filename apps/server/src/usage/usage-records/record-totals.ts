/**
 * Computes exact counts and sums over any filter from daily and hourly sums, as fast for a year as for a day. Only
 * the rest is summed up from records.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { DAY_SECONDS } from './day-rollups.ts';
import { readDayTotals, type TimeRange } from './day-totals.ts';
import type { RecordFilter } from './record-filter.ts';
import { type CallTotals, selectFirstCall, sumRecords } from './record-queries.ts';

export const HOUR_SECONDS = 3600;

type TotalsContext = Pick<Context, 'db' | 'changes'>;

/** Sums up every call that a filter matches, ignoring its type. */
export async function sumCalls(ctx: TotalsContext, filter: RecordFilter): Promise<CallTotals> {
  const { type: _any, ...calls } = filter;
  if (filter.requestId !== undefined || filter.isOtherModel === true)
    return firstTotals(await sumRecords(calls).execute(ctx.db.reports));
  const whole = await resolveRange(ctx, filter);
  const days = await findRolledUpDays(ctx, whole);
  if (days === undefined) return sumHoursAndRecords(ctx, calls, whole);
  return [
    await sumHoursAndRecords(ctx, calls, { from: whole.from, to: days.from }),
    ...(await readDayTotals(ctx, calls, days)),
    await sumHoursAndRecords(ctx, calls, { from: days.to, to: whole.to }),
  ].reduce(addTotals);
}

/** Returns the range of the filter, starting at the oldest call that still exists. */
export async function resolveRange(
  ctx: TotalsContext,
  { start = 0, end }: RecordFilter,
): Promise<TimeRange & { firstWholeDay: number }> {
  const first = (await selectFirstCall.execute(ctx.db.reports)).rows[0];
  const to = end === undefined ? Number.MAX_SAFE_INTEGER : end + 1;
  const firstTime = first?.created_at ?? to;
  // The day of the first call has no earlier calls, so it counts as whole.
  const firstWholeDay =
    start <= firstTime ? firstTime - (firstTime % DAY_SECONDS) : Math.ceil(start / DAY_SECONDS) * DAY_SECONDS;
  return { from: Math.max(start, firstTime), to, firstWholeDay };
}

/** Returns the newest continuous run of summed-up days that lie completely in a range. */
export async function findRolledUpDays(
  ctx: TotalsContext,
  { firstWholeDay, to }: { firstWholeDay: number; to: number },
): Promise<TimeRange | undefined> {
  const { rows } = await sql<TimeRange>`select min(day) as "from", max(day) + ${DAY_SECONDS} as "to" from (
      select day, day - row_number() over (order by day) * ${DAY_SECONDS} as run from summarised_day
      where day >= ${firstWholeDay} and day <= ${to - DAY_SECONDS}
    ) as runs group by run order by run desc limit 1`.execute(ctx.db.reports);
  return rows[0];
}

async function sumHoursAndRecords(
  ctx: TotalsContext,
  filter: RecordFilter,
  { from, to }: TimeRange,
): Promise<CallTotals> {
  if (from >= to) return NO_TOTALS;
  const range = { start: from, end: to - 1 };
  if (!canUseHourRollups(filter)) return firstTotals(await sumRecords({ ...filter, ...range }).execute(ctx.db.reports));
  return sumHours(ctx, filter, { from, to });
}

/** Returns whether hourly sums are enough. They have the time, user, model and channel only. */
function canUseHourRollups({ keyIds, isStream, group, address }: RecordFilter): boolean {
  return [keyIds, isStream, group, address].every((value) => value === undefined);
}

async function sumHours(ctx: TotalsContext, filter: RecordFilter, { from, to }: TimeRange): Promise<CallTotals> {
  const first = Math.ceil(from / HOUR_SECONDS) * HOUR_SECONDS;
  const last = Math.floor(to / HOUR_SECONDS) * HOUR_SECONDS;
  const cut = async (start: number, end: number): Promise<CallTotals> =>
    start < end ? firstTotals(await sumRecords({ ...filter, start, end: end - 1 }).execute(ctx.db.reports)) : NO_TOTALS;
  if (first >= last) return cut(from, to);
  const whole = sql<CallTotals>`select coalesce(sum(requests), 0) as requests, coalesce(sum(errors), 0) as errors,
      coalesce(sum(quota), 0) as quota, coalesce(sum(prompt_tokens), 0) as prompt_tokens,
      coalesce(sum(completion_tokens), 0) as completion_tokens
    from usage_hour
    where hour >= ${first} and hour < ${last} and ${buildHourCondition(filter)}`;
  return [await cut(from, first), firstTotals(await whole.execute(ctx.db.reports)), await cut(last, to)].reduce(
    addTotals,
  );
}

export function buildHourCondition(filter: RecordFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (filter.userId !== undefined) conditions.push(sql`user_id = ${filter.userId}`);
  if (filter.model !== undefined) conditions.push(sql`model = ${filter.model}`);
  if (filter.channelId !== undefined) conditions.push(sql`channel_id = ${filter.channelId}`);
  return sql.join(conditions, sql` and `);
}

export const NO_TOTALS: CallTotals = { requests: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };

const firstTotals = (result: { rows: CallTotals[] }): CallTotals => result.rows[0] ?? NO_TOTALS;

function addTotals(a: CallTotals, b: CallTotals): CallTotals {
  return {
    requests: a.requests + b.requests,
    errors: a.errors + b.errors,
    quota: a.quota + b.quota,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
  };
}
