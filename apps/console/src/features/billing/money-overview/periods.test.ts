import { describe, expect, it } from 'vitest';
import { daysInPeriod, periodRange, previousRange } from './periods.ts';

const at = (text: string) => new Date(`${text}Z`);
const seconds = (text: string) => at(text).getTime() / 1000;

describe('periods of UTC days', () => {
  it.each([
    ['today', '2026-03-31T00:00:00', '2026-03-30T00:00:00', '2026-03-30T15:00:00', 1],
    ['7d', '2026-03-25T00:00:00', '2026-03-18T00:00:00', '2026-03-24T15:00:00', 7],
    ['30d', '2026-03-02T00:00:00', '2026-01-31T00:00:00', '2026-03-01T15:00:00', 30],
    // The previous month is cut at its end, because February has no 31st.
    ['month', '2026-03-01T00:00:00', '2026-02-01T00:00:00', '2026-02-28T23:59:59', 31],
  ] as const)('end now for %s and are compared with the same length before', (period, from, before, until, days) => {
    const now = at('2026-03-31T15:00:00');
    expect(periodRange(period, now)).toEqual({ start_timestamp: seconds(from), end_timestamp: now.getTime() / 1000 });
    expect(previousRange(period, now)).toEqual({ start_timestamp: seconds(before), end_timestamp: seconds(until) });
    expect(daysInPeriod(period, now)).toHaveLength(days);
    expect(daysInPeriod(period, now).at(-1)).toBe(seconds('2026-03-31T00:00:00'));
  });

  it('have one day on the first of a month', () => {
    expect(daysInPeriod('month', at('2026-03-01T00:00:00'))).toEqual([seconds('2026-03-01T00:00:00')]);
  });
});
