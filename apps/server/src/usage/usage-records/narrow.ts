/**
 * Finds out from the sums where the rows of a page can be, so that a rare match among millions of records is not
 * searched for. With days summarised, any page of any filter in the order of time reads few records.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { type Stretch, sumsByDay, whereDay } from './day-sums.ts';
import type { RecordFilter, RecordRange } from './filter.ts';
import { HOUR, stretchOf, summarisedDays, whereHour } from './record-sums.ts';
import { DAY } from './summarise-days.ts';

export type Wanted = { order: 'newest' | 'oldest'; rows: number } | 'all';

/** More places than this are no rare match: reading everything finds enough soon. */
const PLACES_MAX = 2_000;
/** Maximum number of matches that are read to sort them by another order than time, which needs every match. */
const MATCHES_MAX = 20_000;

type Reading = Pick<Context, 'db' | 'changes'>;

interface DayMatches {
  day: number;
  calls: number;
}

/** Adds the places where what is wanted can be, where that saves reading. */
export async function narrow(ctx: Reading, filter: RecordFilter, wanted: Wanted): Promise<RecordFilter> {
  if (!isWorthIt(filter)) return filter;
  const stretch = await stretchOf(ctx, filter);
  const days = await summarisedDays(ctx, stretch);
  const run = days ?? { from: stretch.to, to: stretch.to };
  const matches = days === undefined ? [] : await matchesByDay(ctx, filter, days);
  const { chosen, isEnough } = choose(matches, wanted);
  if (chosen === undefined) return filter;
  const isNewest = wanted !== 'all' && wanted.order === 'newest';
  const [onlyDay, ...furtherDays] = chosen;
  // So many matches on one day are soon found on the way to it.
  if (isEnough && isNewest && onlyDay !== undefined && furtherDays.length === 0)
    return { ...filter, start: Math.max(stretch.from, onlyDay.day) };
  const before = { from: stretch.from, to: run.from };
  const after = { from: Math.max(stretch.from, run.to), to: stretch.to };
  const places = [
    ...(isEnough && isNewest ? [] : await hoursOf(ctx, filter, before)),
    ...(days === undefined ? [] : await placesIn(ctx, filter, days, chosen)),
    ...(isEnough && !isNewest ? [] : await hoursOf(ctx, filter, after)),
  ];
  return places.length > PLACES_MAX ? filter : { ...filter, within: places };
}

/** Time, user, request id and answers of other models have indexes of their own; other types of records are few and have one, too. */
function isWorthIt({
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

async function matchesByDay(ctx: Reading, filter: RecordFilter, days: Stretch): Promise<DayMatches[]> {
  const { type } = filter;
  return (await sumsByDay(ctx, filter, days))
    .map(({ day, requests, errors }) => ({
      day,
      calls: (type === 'error' ? 0 : requests) + (type === 'consume' ? 0 : errors),
    }))
    .filter(({ calls }) => calls > 0);
}

function callsOf({ type }: RecordFilter) {
  if (type === 'consume') return sql`requests`;
  return type === 'error' ? sql`errors` : sql`requests + errors`;
}

/** The days that hold what is wanted; undefined when there are too many matches. @param days newest first */
function choose(
  days: readonly DayMatches[],
  wanted: Wanted,
): { chosen: readonly DayMatches[] | undefined; isEnough: boolean } {
  if (wanted === 'all') {
    const total = days.reduce((sum, { calls }) => sum + calls, 0);
    return { chosen: total > MATCHES_MAX ? undefined : days, isEnough: false };
  }
  const inOrder = wanted.order === 'newest' ? days : days.toReversed();
  let rows = 0;
  const last = inOrder.findIndex(({ calls }) => (rows += calls) >= wanted.rows);
  return last === -1
    ? { chosen: inOrder, isEnough: false }
    : { chosen: inOrder.slice(0, last + 1), isEnough: true };
}

/** A single day is read as a whole; of several only what the users concerned did on them. */
async function placesIn(
  ctx: Reading,
  filter: RecordFilter,
  days: Stretch,
  chosen: readonly DayMatches[],
): Promise<RecordRange[]> {
  const list = chosen.map(({ day }) => day);
  const wholeDays = list.map((day) => ({ from: day, to: day + DAY - 1 }));
  if (list.length <= 1) return wholeDays;
  const { rows } = await sql<{ day: number; user_id: number }>`select distinct day, user_id from usage_day
    where day in (select cast(value as bigint) from json_each(${JSON.stringify(list)})) and ${whereDay(filter, days)}
      and ${callsOf(filter)} > 0 limit ${PLACES_MAX + 1}`.execute(ctx.db.reports);
  if (rows.length > PLACES_MAX) return wholeDays;
  return rows.map(({ day, user_id }) => ({ from: day, to: day + DAY - 1, userId: user_id }));
}

/**
 * Returns the hours to read where no days are summarised: those in which a model or channel was called at all, else the
 * whole stretch.
 */
async function hoursOf(ctx: Reading, filter: RecordFilter, { from, to }: Stretch): Promise<RecordRange[]> {
  if (from >= to) return [];
  const whole = [{ from, to: to - 1 }];
  if (filter.model === undefined && filter.channelId === undefined) return whole;
  const { rows } = await sql<{ hour: number }>`select distinct hour from usage_hour
    where hour > ${from - HOUR} and hour < ${to} and ${whereHour(filter)} order by hour`.execute(
    ctx.db.reports,
  );
  if (rows.length > PLACES_MAX) return whole;
  return rows.map(({ hour }) => ({ from: Math.max(from, hour), to: Math.min(to, hour + HOUR) - 1 }));
}
