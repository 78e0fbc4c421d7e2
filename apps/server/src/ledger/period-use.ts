/** What one key has been charged, or one channel has cost, in the current day, week and month. */
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
  return (id, now) => {
    const read = (period: Period) => {
      const start = startOf(period, now);
      return { start, used: Number(readDays.get(id, start)?.['used'] ?? 0) };
    };
    return createPeriodUse({ day: read('day'), week: read('week'), month: read('month') });
  };
}

/** A period that has begun stays the current one, even when the clock is set back. */
function createPeriodUse(current: Record<Period, { start: number; used: number }>): PeriodUse {
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
