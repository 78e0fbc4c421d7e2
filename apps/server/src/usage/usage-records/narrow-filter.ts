/**
 * Narrows a filter to the ranges that can contain a page's rows, found from the sums, so that a rare match among
 * millions of records is found quickly. With days summed up, any page in time order reads few records.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { DAY_SECONDS } from './day-rollups.ts';
import { buildDayCondition, readDayTotals, type TimeRange } from './day-totals.ts';
import type { RecordFilter, RecordRange } from './record-filter.ts';
import { buildHourCondition, findRolledUpDays, HOUR_SECONDS, resolveRange } from './record-totals.ts';

export type WantedRows = { order: 'newest' | 'oldest'; rows: number } | 'all';

/** Maximum ranges. With more, the match is not rare, and a plain scan finds enough rows quickly. */
const RANGES_MAX = 2_000;
/** Maximum number of matches that are read to sort them by another order than time, which needs every match. */
const MATCHES_MAX = 20_000;

type NarrowContext = Pick<Context, 'db' | 'changes'>;

interface DayMatches {
  day: number;
  calls: number;
}

/** Adds the ranges that can contain the wanted rows, where that saves reading. */
export async function narrowFilter(
  ctx: NarrowContext,
  filter: RecordFilter,
  wanted: WantedRows,
): Promise<RecordFilter> {
  if (!canNarrow(filter)) return filter;
  const stretch = await resolveRange(ctx, filter);
  const days = await findRolledUpDays(ctx, stretch);
  const run = days ?? { from: stretch.to, to: stretch.to };
  const matches = days === undefined ? [] : await countMatchesByDay(ctx, filter, days);
  const { chosen, isEnough } = chooseDays(matches, wanted);
  if (chosen === undefined) return filter;
  const isNewest = wanted !== 'all' && wanted.order === 'newest';
  const [onlyDay, ...furtherDays] = chosen;
  // A single day with so many matches is read quickly in time order.
  if (isEnough && isNewest && onlyDay !== undefined && furtherDays.length === 0)
    return { ...filter, start: Math.max(stretch.from, onlyDay.day) };
  const before = { from: stretch.from, to: run.from };
  const after = { from: Math.max(stretch.from, run.to), to: stretch.to };
  const places = [
    ...(isEnough && isNewest ? [] : await findHourRanges(ctx, filter, before)),
    ...(days === undefined ? [] : await findRanges(ctx, filter, days, chosen)),
    ...(isEnough && !isNewest ? [] : await findHourRanges(ctx, filter, after)),
  ];
  return places.length > RANGES_MAX ? filter : { ...filter, within: places };
}

/**
 * Returns whether narrowing can help. Time, user, request id and other models have indexes; other types of records
 * are few and have one, too.
 */
function canNarrow({
  type,
  requestId,
  isOtherModel,
  model,
  channelId,
  keyIds,
  group,
  isStream,
  address,
}: RecordFilter): boolean {
  if (requestId !== undefined || isOtherModel === true) return false;
  if (type !== undefined && type !== 'consume' && type !== 'error') return false;
  const isRare = type === 'error';
  return isRare || [model, channelId, keyIds, group, isStream, address].some((value) => value !== undefined);
}

async function countMatchesByDay(ctx: NarrowContext, filter: RecordFilter, days: TimeRange): Promise<DayMatches[]> {
  const { type } = filter;
  return (await readDayTotals(ctx, filter, days))
    .map(({ day, requests, errors }) => ({
      day,
      calls: (type === 'error' ? 0 : requests) + (type === 'consume' ? 0 : errors),
    }))
    .filter(({ calls }) => calls > 0);
}

function selectCallCount({ type }: RecordFilter) {
  if (type === 'consume') return sql`requests`;
  return type === 'error' ? sql`errors` : sql`requests + errors`;
}

/**
 * Returns the days that contain the wanted rows; undefined if there are too many matches. @param days newest first
 */
function chooseDays(
  days: readonly DayMatches[],
  wanted: WantedRows,
): { chosen: readonly DayMatches[] | undefined; isEnough: boolean } {
  if (wanted === 'all') {
    const total = days.reduce((sum, { calls }) => sum + calls, 0);
    return { chosen: total > MATCHES_MAX ? undefined : days, isEnough: false };
  }
  const inOrder = wanted.order === 'newest' ? days : days.toReversed();
  let rows = 0;
  const last = inOrder.findIndex(({ calls }) => (rows += calls) >= wanted.rows);
  return last === -1 ? { chosen: inOrder, isEnough: false } : { chosen: inOrder.slice(0, last + 1), isEnough: true };
}

/** Returns the ranges to read. A single day is read as a whole; of several days, only the users with matches. */
async function findRanges(
  ctx: NarrowContext,
  filter: RecordFilter,
  days: TimeRange,
  chosen: readonly DayMatches[],
): Promise<RecordRange[]> {
  const list = chosen.map(({ day }) => day);
  const wholeDays = list.map((day) => ({ from: day, to: day + DAY_SECONDS - 1 }));
  if (list.length <= 1) return wholeDays;
  const { rows } = await sql<{ day: number; user_id: number }>`select distinct day, user_id from usage_day
    where day in (select cast(value as bigint) from json_each(${JSON.stringify(list)})) and ${buildDayCondition(filter, days)}
      and ${selectCallCount(filter)} > 0 limit ${RANGES_MAX + 1}`.execute(ctx.db.reports);
  if (rows.length > RANGES_MAX) return wholeDays;
  return rows.map(({ day, user_id }) => ({ from: day, to: day + DAY_SECONDS - 1, userId: user_id }));
}

/**
 * Returns the hours to read where no days are summed up: those in which the model or channel was called, or else the
 * whole range.
 */
async function findHourRanges(
  ctx: NarrowContext,
  filter: RecordFilter,
  { from, to }: TimeRange,
): Promise<RecordRange[]> {
  if (from >= to) return [];
  const whole = [{ from, to: to - 1 }];
  if (filter.model === undefined && filter.channelId === undefined) return whole;
  const { rows } = await sql<{ hour: number }>`select distinct hour from usage_hour
    where hour > ${from - HOUR_SECONDS} and hour < ${to} and ${buildHourCondition(filter)} order by hour`.execute(
    ctx.db.reports,
  );
  if (rows.length > RANGES_MAX) return whole;
  return rows.map(({ hour }) => ({ from: Math.max(from, hour), to: Math.min(to, hour + HOUR_SECONDS) - 1 }));
}
