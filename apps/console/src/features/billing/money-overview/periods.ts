import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import type { RouteCall } from '@switchyard/contract/route';

export const periods = ['today', '7d', '30d', 'month'] as const;
export type Period = (typeof periods)[number];
export const defaultPeriod: Period = '7d';

type Span = RouteCall<typeof moneyOverview.get>['query'];

const DAY = 86_400;
const lengths = { today: 1, '7d': 7, '30d': 30 };

/** Returns the UTC midnight at which the period starts, in seconds. */
function periodStart(period: Period, now: Date): number {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === 'month') return Date.UTC(year, month) / 1000;
  return Date.UTC(year, month, day - lengths[period] + 1) / 1000;
}

/** Returns the range from the period's start to now. */
export function periodRange(period: Period, now: Date): Span {
  return { start_timestamp: periodStart(period, now), end_timestamp: Math.floor(now.getTime() / 1000) };
}

/** Returns the range of the previous period up to the same time of its last day. */
export function previousRange(period: Period, now: Date): Span {
  const { start_timestamp, end_timestamp } = periodRange(period, now);
  if (period !== 'month') {
    const length = lengths[period] * DAY;
    return { start_timestamp: start_timestamp - length, end_timestamp: end_timestamp - length };
  }
  const before = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1) / 1000;
  // The previous month may be shorter.
  const end = Math.min(before + (end_timestamp - start_timestamp), start_timestamp - 1);
  return { start_timestamp: before, end_timestamp: end };
}

/** Returns the starts of the period's days in UTC seconds, ending with today. */
export function daysInPeriod(period: Period, now: Date): number[] {
  const { start_timestamp, end_timestamp } = periodRange(period, now);
  const count = Math.floor((end_timestamp - start_timestamp) / DAY) + 1;
  return Array.from({ length: count }, (_, index) => start_timestamp + index * DAY);
}
