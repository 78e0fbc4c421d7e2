import { expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { readModelLists, toMicroUsd } from './passthrough-and-account-requests.ts';

it.each([
  [1.5, 1_500_000],
  ['95.50', 95_500_000],
  [0, 0],
  [-0.25, -250_000],
  [0.1 + 0.2, 300_000],
])('converts %j USD to %j micro-USD', (amount, micros) => {
  expect(toMicroUsd(amount)).toBe(micros);
});

it.each([undefined, null, '', ' ', 'x', Number.NaN, 1e300, {}, []])('returns undefined for %j', (amount) => {
  expect(toMicroUsd(amount)).toBeUndefined();
});

it.each([
  ['long combining marks', 10, 20_000],
  ['combining marks', 100, 2_000],
  ['names of the maximum length', 20_000, 62],
  ['short names', 600_000, 1],
])('reads a vendor’s list of %s within 100 ms', (_what, count, marks) => {
  const name = `${'\u0301'.repeat(marks)}${'\u0323'.repeat(marks)}`;
  const data = Array.from({ length: count }, (_, nth) => ({ id: `a${name}${nth % 50}` })).toReversed();
  const readCpuMs = startCpuTimer();
  readModelLists(sampleTarget('openai'), [{ data }, { data }]);
  expect(readCpuMs()).toBeLessThan(100);
});

it('lists the names that a channel can have, in the order of their code units', () => {
  const names = ['b', 'é', 'Z', 'a', '', 'x'.repeat(129), 'x'.repeat(128), 'a'];
  expect(readModelLists(sampleTarget('openai'), [{ data: names.map((id) => ({ id })) }])).toEqual([
    'Z',
    'a',
    'b',
    'x'.repeat(128),
    'é',
  ]);
});
