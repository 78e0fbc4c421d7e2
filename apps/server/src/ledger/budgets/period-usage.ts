/** Charges of one key, or costs of one channel, in the current day, week and month. */
import type { DatabaseSync } from 'node:sqlite';
import { getPeriodStart, PERIODS, type Period } from './periods.ts';

export interface PeriodUsage {
  /** Points. `now` in UTC seconds. */
  usedIn(period: Period, now: number): number;
  /** Counts a charge that was made at `at`, UTC seconds. */
  add(points: number, at: number): void;
}

/**
 * Reads synchronously on the writing connection.
 * @param select the sum `used` since a day, by an id
 */
export function createPeriodUsageReader(
  connection: DatabaseSync,
  select = 'select coalesce(sum(used), 0) as used from key_day where api_key_id = ? and day >= ?',
): (id: number, now: number) => PeriodUsage {
  const readDays = connection.prepare(select);
  return (id, now) => createPeriodUsage(now, (start) => Number(readDays.get(id, start)?.['used'] ?? 0));
}

/** @param days with what was used in each, at least since the month and the week began */
export function createUsageFromDays(
  days: readonly { day: number; used: number }[],
  now: number,
): PeriodUsage {
  return createPeriodUsage(now, (start) =>
    days.reduce((sum, { day, used }) => (day >= start ? sum + used : sum), 0),
  );
}

/** A period that has begun stays the current one, even when the clock is set back. */
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
