/** Calendar periods in UTC, by which budgets are counted. All times in UTC seconds. */

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

/** When the period that holds `time` ends and the next one begins. */
export function getPeriodEnd(period: Period, time: number): number {
  if (period === 'day') return getPeriodStart('day', time) + DAY_SECONDS;
  if (period === 'week') return getPeriodStart('week', time) + 7 * DAY_SECONDS;
  const date = new Date(getPeriodStart('month', time) * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
