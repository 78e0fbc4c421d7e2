/** Whether the model of the ledger would notice a mistake in it: each line below makes one in its source. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pick, reportMeasurement } from '../tier.ts';
import { ledgerMutations, type Mutation } from './ledger-mutations.ts';

const HISTORIES = 3;
const SCORE_MIN = 0.9;
const AT_ONCE = 2;
/** Not every mistake is made in the short tier. */
const EVERY = pick(12, 6, 1);

/** Whether the model finds nothing wrong; a mistake that stops everything is found by the time. */
function passes(mutation: Mutation | undefined): Promise<boolean> {
  const mutate = mutation === undefined ? [] : ['--import', join(import.meta.dirname, 'mutate.ts')];
  const [file = '', ...texts] = mutation ?? [];
  const child = spawn(process.execPath, [...mutate, join(import.meta.dirname, 'check-ledger.ts'), String(HISTORIES)], {
    stdio: 'ignore',
    timeout: 30_000,
    env: { PATH: process.env['PATH'], MUTATION: JSON.stringify([`/ledger/${file}`, ...texts]) },
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
  });
}

test('the unchanged ledger passes, so that a failure means the mistake', async () => {
  expect(await passes(undefined)).toBe(true);
  expect(await passes(['ledger.ts', '', ''])).toBe(true);
});

test('at least nine of ten mistakes in the ledger would be noticed', async () => {
  const mutations = ledgerMutations.filter((_mutation, index) => index % EVERY === 0);
  const waiting = [...mutations];
  const unnoticed: Mutation[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (await passes(next)) unnoticed.push(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const noticed = mutations.length - unnoticed.length;
  reportMeasurement('P6', `${noticed} of ${mutations.length} mistakes in the ledger noticed by its model`);
  expect(noticed / mutations.length, JSON.stringify(unnoticed)).toBeGreaterThanOrEqual(SCORE_MIN);
});
