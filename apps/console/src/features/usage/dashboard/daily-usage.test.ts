import { toPoints } from '@switchyard/contract/money';
import { expect, it } from 'vitest';
import {
  boundsOfDate,
  dailySums,
  datesOf,
  measures,
  periodStart,
  seriesByModel,
  usageByDay,
  usageByModel,
} from './daily-usage.ts';

const day = (date: string, model_name: string, quota: number, requests = 1) => ({
  date,
  model_name,
  quota: toPoints(quota),
  requests,
  prompt_tokens: 10,
  completion_tokens: 5,
  duration_ms: 30,
});
const days = [day('2026-01-09', 'a', 4), day('2026-01-10', 'a', 1), day('2026-01-10', 'b', 5, 3)];

it('ends the period with today in the browser’s time zone', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  expect(datesOf(3, now)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(periodStart(3, now)).toBe(new Date(2026, 1, 27).getTime() / 1000);
});

it('returns 0 for a day without calls', () => {
  const dates = datesOf(3, new Date(2026, 0, 10, 12));
  expect(dailySums(days, dates, measures.spend)).toEqual([0, 4, 6]);
  expect(seriesByModel(days, dates, measures.requests)).toEqual([
    { name: 'a', values: [0, 1, 1] },
    { name: 'b', values: [0, 0, 3] },
  ]);
});

it('sums a model over its days and computes its share', () => {
  expect(usageByModel(days)).toEqual([
    { model: 'a', requests: 2, tokens: 30, spend: 5, share: 0.5 },
    { model: 'b', requests: 3, tokens: 15, spend: 5, share: 0.5 },
  ]);
  expect(usageByModel([day('2026-01-10', 'free', 0)])[0]?.share).toBe(0);
});

it('sums a day over its models and computes the mean time of a call', () => {
  const dates = datesOf(2, new Date(2026, 0, 10, 12));
  expect(usageByDay(days, dates)).toEqual([
    { date: '2026-01-09', requests: 1, prompt: 10, completion: 5, meanTime: 30, spend: 4 },
    { date: '2026-01-10', requests: 4, prompt: 20, completion: 10, meanTime: 15, spend: 6 },
  ]);
  expect(usageByDay([], ['2026-01-09'])[0]?.meanTime).toBeNull();
});

it('bounds a day by local midnight and the last second before the next one', () => {
  const { start_timestamp, end_timestamp } = boundsOfDate('2026-03-01');
  expect(new Date(Number(start_timestamp) * 1000)).toEqual(new Date(2026, 2, 1));
  expect(new Date(Number(end_timestamp) * 1000 + 1000)).toEqual(new Date(2026, 2, 2));
});
