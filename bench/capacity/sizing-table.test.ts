import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATABASE_FULL, lineOf, NODE_FULL, PER_DAY, stepOf, timesOfHour } from './sizing-table.ts';

const document = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

test.each(['scaling.md', 'zh_CN/scaling.md'])('docs/%s has the figures of the model', (name) => {
  const text = document(name);
  for (const perDay of PER_DAY) expect(text).toContain(lineOf(stepOf(perDay)));
});

test('no step exceeds the utilisation in the document', () => {
  for (const perDay of PER_DAY) {
    const { nodeUtilisation, databaseUtilisation } = stepOf(perDay).forecast;
    expect(nodeUtilisation).toBeLessThanOrEqual(NODE_FULL);
    expect(databaseUtilisation).toBeLessThanOrEqual(DATABASE_FULL);
  }
});

test('the hours of a day average to its mean, and one has twice as much', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => timesOfHour(hour));
  expect(hours.reduce((sum, times) => sum + times, 0) / 24).toBeCloseTo(1);
  expect(Math.max(...hours)).toBe(2);
});
