/** Checks that the ledger's model detects mistakes: each mutation changes the ledger's source in one place. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pick, reportMeasurement } from '../tier.ts';
import { ledgerMutations, type Mutation } from './ledger-mutations.ts';

const HISTORIES = 3;
const SCORE_MIN = 0.9;
const AT_ONCE = 2;
/** The short tier tries only some of the mutations. */
const EVERY = pick(12, 6, 1);

/** Returns whether the model finds no difference; a mutation that blocks everything is detected by the timeout. */
function passes(mutation: Mutation | undefined): Promise<boolean> {
  const mutate = mutation === undefined ? [] : ['--import', join(import.meta.dirname, 'mutate-source.ts')];
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

test('the unchanged ledger passes, so that a failure is due to the mutation', async () => {
  expect(await passes(undefined)).toBe(true);
  expect(await passes(['ledger.ts', '', ''])).toBe(true);
});

test('at least nine of ten mutations of the ledger are detected', async () => {
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
