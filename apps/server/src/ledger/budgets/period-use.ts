/** Charges of one key, or costs of one channel, in the current day, week and month. */
import type { DatabaseSync } from 'node:sqlite';
import { PERIODS, type Period, startOf } from './periods.ts';

export interface PeriodUse {
  /** Points. `now` in UTC seconds. */
  usedIn(period: Period, now: number): number;
  /** Counts a charge that was made at `at`, UTC seconds. */
  add(points: number, at: number): void;
}

/**
 * Reads synchronously on the writing connection.
 * @param select the sum `used` since a day, by an id
 */
export function createPeriodUseReader(
  connection: DatabaseSync,
  select = 'select coalesce(sum(used), 0) as used from key_day where api_key_id = ? and day >= ?',
): (id: number, now: number) => PeriodUse {
  const readDays = connection.prepare(select);
  return (id, now) => createPeriodUse(now, (start) => Number(readDays.get(id, start)?.['used'] ?? 0));
}

/** @param days with what was used in each, at least since the month and the week began */
export function usedInDays(days: readonly { day: number; used: number }[], now: number): PeriodUse {
  return createPeriodUse(now, (start) =>
    days.reduce((sum, { day, used }) => (day >= start ? sum + used : sum), 0),
  );
}

/** A period that has begun stays the current one, even when the clock is set back. */
function createPeriodUse(now: number, usedSince: (start: number) => number): PeriodUse {
  const begin = (period: Period): { start: number; used: number } => {
    const start = startOf(period, now);
    return { start, used: usedSince(start) };
  };
  const current = { day: begin('day'), week: begin('week'), month: begin('month') };
  const at = (period: Period, time: number): { start: number; used: number } => {
    const counter = current[period];
    const start = startOf(period, time);
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
        if (startOf(period, time) === counter.start) counter.used += points;
      }
    },
  };
}
