/** Charges of one key, or costs of one channel, in the current day, week and month. */

import type { DatabaseSync } from 'node:sqlite';

export interface PeriodUsage {
  /** Returns points. `now` is UTC seconds. */
  usedIn(period: Period, now: number): number;
  /** Counts a charge at the time `at`, UTC seconds. */
  add(points: number, at: number): void;
}

/**
 * Reads synchronously on the writing connection.
 * @param select query for the sum `used` of an id since a day
 */
export function createPeriodUsageReader(
  connection: DatabaseSync,
  select = 'select coalesce(sum(used), 0) as used from key_day where api_key_id = ? and day >= ?',
): (id: number, now: number) => PeriodUsage {
  const readDays = connection.prepare(select);
  return (id, now) => createPeriodUsage(now, (start) => Number(readDays.get(id, start)?.['used'] ?? 0));
}

/** @param days usage per day, at least since the start of the current month and week */
export function createUsageFromDays(days: readonly { day: number; used: number }[], now: number): PeriodUsage {
  return createPeriodUsage(now, (start) => days.reduce((sum, { day, used }) => (day >= start ? sum + used : sum), 0));
}

/** A period that has begun stays current, even when the clock is set back. */
function createPeriodUsage(now: number, usedSince: (start: number) => number): PeriodUsage {
  const begin = (period: Period): { start: number; used: number } => {
    const start = getPeriodStart(period, now);
    return { start, used: usedSince(start) };
  };
  const current = { day: begin('day'), week: begin('week'), month: begin('month') };
  const at = (period: Period, time: number): { start: number; used: number } => {
    const counter = current[period];
    const start = getPeriodStart(period, time);
    if (start > counter.start) {
      counter.start = start;
      counter.used = 0;
    }
    return counter;
  };
  return {
    usedIn: (period, now) => at(period, now).used,
    add(points, time) {
      for (const period of PERIODS) {
        const counter = at(period, time);
        if (getPeriodStart(period, time) === counter.start) counter.used += points;
      }
    },
  };
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
