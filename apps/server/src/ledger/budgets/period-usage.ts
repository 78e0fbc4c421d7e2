/** Charges of one key, or costs of one channel, in the current day, week and month. */

import type { DatabaseSync } from 'node:sqlite';

export interface PeriodUsage {
  /**
   * Returns the points since the start of the period that contains `now`, UTC seconds. Later days count as well: the
   * clock may have been set back.
   */
  usedIn(period: Period, now: number): number;
  /** Counts a charge at the time `at`, UTC seconds. */
  add(points: number, at: number): void;
}

/** Points of one day. `day` is its start, UTC seconds. */
export interface DayUsage {
  day: number;
  used: number;
}

/** Reads the points by day, from the day `from` until before the day `until`. */
type ReadDays = (from: number, until: number) => readonly DayUsage[];

/**
 * Reads synchronously on the writing connection.
 * @param select query for the columns `day` and `used` of an id, from one day until before another
 */
export function createPeriodUsageReader(
  connection: DatabaseSync,
  select = 'select day, used from key_day where api_key_id = ? and day >= ? and day < ?',
): (id: number, now: number) => PeriodUsage {
  const readDays = connection.prepare(select);
  return (id, now) =>
    createPeriodUsage(now, (from, until) =>
      readDays.all(id, from, until).map((row) => ({ day: Number(row['day']), used: Number(row['used']) })),
    );
}

/** @param days usage by day, at least since the start of the current month and week */
export function createUsageFromDays(days: readonly DayUsage[], now: number): PeriodUsage {
  return createPeriodUsage(now, (from, until) => days.filter(({ day }) => day >= from && day < until));
}

/**
 * Keeps the points by day and adds them up for each answer. Memory therefore agrees with the rows, and with itself
 * after a restart, wherever the clock is set: a charge counts in every period that its day belongs to.
 */
function createPeriodUsage(now: number, readDays: ReadDays): PeriodUsage {
  const days = new Map<number, number>();
  /** First day whose points are in memory. */
  let first = Number.MAX_SAFE_INTEGER;
  const readFrom = (start: number): void => {
    if (start >= first) return;
    for (const { day, used } of readDays(start, first)) days.set(day, used);
    first = start;
  };
  /** Forgets days that no current period contains. They are read again if the clock is set back. */
  const forgetBefore = (start: number): void => {
    if (start <= first) return;
    for (const day of days.keys()) if (day < start) days.delete(day);
    first = start;
  };
  readFrom(findFirstDay(now));
  return {
    usedIn(period, now) {
      const start = getPeriodStart(period, now);
      readFrom(start);
      let used = 0;
      for (const [day, points] of days) if (day >= start) used += points;
      return used;
    },
    add(points, at) {
      const day = getPeriodStart('day', at);
      readFrom(day);
      const used = days.get(day);
      if (used === undefined) forgetBefore(findFirstDay(at));
      days.set(day, (used ?? 0) + points);
    },
  };
}

/** Returns the first day of the periods that contain `time`. */
function findFirstDay(time: number): number {
  return Math.min(getPeriodStart('week', time), getPeriodStart('month', time));
}

/** Calendar periods in UTC, by which budgets are counted. All times are UTC seconds. */

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const DAY_SECONDS = 86_400;
/** 1 January 1970 was a Thursday; weeks begin on Mondays. */
const DAYS_FROM_MONDAY_AT_EPOCH = 3;

export function getPeriodStart(period: Period, time: number): number {
  const day = time - (time % DAY_SECONDS);
  switch (period) {
    case 'day':
      return day;
    case 'week':
      return day - ((day / DAY_SECONDS + DAYS_FROM_MONDAY_AT_EPOCH) % 7) * DAY_SECONDS;
    case 'month': {
      const date = new Date(day * 1000);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
    }
  }
}

/** Returns the end of the period that contains `time`. */
export function getPeriodEnd(period: Period, time: number): number {
  if (period === 'day') return getPeriodStart('day', time) + DAY_SECONDS;
  if (period === 'week') return getPeriodStart('week', time) + 7 * DAY_SECONDS;
  const date = new Date(getPeriodStart('month', time) * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
