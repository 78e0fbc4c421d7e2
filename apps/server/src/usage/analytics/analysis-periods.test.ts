import { expect, test } from 'vitest';
import { listSteps, toPeriod } from './analysis-periods.ts';

const at = (text: string) => Date.parse(text) / 1000;

test('a period is widened to quarters of an hour and ends with the current one', () => {
  const [from, to] = [at('2026-03-01T10:07:00Z'), at('2026-03-02T10:07:00Z')];
  expect(toPeriod(from, to, to + 9_999)).toEqual({
    from: at('2026-03-01T10:00:00Z'),
    to: at('2026-03-02T10:15:00Z'),
    length: 87_300,
  });
  expect(toPeriod(from, to, at('2026-03-01T12:01:00Z'))).toMatchObject({
    to: at('2026-03-01T12:15:00Z'),
    length: 87_300,
  });
});

test('a period that has not begun has no length', () => {
  const { from, to } = toPeriod(at('2026-03-01T10:00:00Z'), at('2026-03-02T10:00:00Z'), 0);
  expect(to).toBe(from);
});

test('weeks begin on Monday, months on their first, at the viewer’s midnight', () => {
  const period = { from: at('2026-01-30T12:00:00Z'), to: at('2026-02-16T12:00:00Z') };
  expect(listSteps(period, 'week', 330, 9)).toEqual([
    period.from,
    at('2026-02-01T18:30:00Z'),
    at('2026-02-08T18:30:00Z'),
    at('2026-02-15T18:30:00Z'),
  ]);
  expect(listSteps(period, 'month', -210, 9)).toEqual([period.from, at('2026-02-01T03:30:00Z')]);
});

test('no more steps are made than can be refused', () => {
  expect(listSteps({ from: 0, to: 1e9 }, 'hour', 0, 10)).toHaveLength(11);
});
