import { expect, test } from 'vitest';
import { getPeriodEnd, getPeriodStart, PERIODS } from './period-usage.ts';

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;

test.each([
  ['day', '2026-02-28T23:59:59', '2026-02-28', '2026-03-01'],
  ['week', '2026-11-22T23:59:59', '2026-11-16', '2026-11-23'],
  ['week', '2026-11-16T00:00:00', '2026-11-16', '2026-11-23'],
  ['week', '2027-01-01T12:00:00', '2026-12-28', '2027-01-04'],
  ['month', '2026-12-31T23:59:59', '2026-12-01', '2027-01-01'],
  ['month', '2028-02-29T00:00:00', '2028-02-01', '2028-03-01'],
] as const)('the %s that holds %s lasts from %s until %s', (period, time, start, end) => {
  expect(getPeriodStart(period, utc(time))).toBe(utc(start));
  expect(getPeriodEnd(period, utc(time))).toBe(utc(end));
});

test('periods follow each other without a gap for sixty years', () => {
  for (const period of PERIODS) {
    for (let time = utc('2000-01-01'); time < utc('2060-01-01'); time = getPeriodEnd(period, time)) {
      expect(getPeriodStart(period, getPeriodEnd(period, time))).toBe(getPeriodEnd(period, time));
      expect(getPeriodStart(period, getPeriodEnd(period, time) - 1)).toBe(getPeriodStart(period, time));
    }
  }
});
