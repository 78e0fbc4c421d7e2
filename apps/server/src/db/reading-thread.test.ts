import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { systemTimers } from '../platform/clock.ts';
import { runAsReader } from '../platform/http/caller.ts';
import { measureLongestBlock } from '../testing/measure-longest-block.ts';
import { createReadingThread } from './reading-thread.ts';
import type { ReadWork } from './sqlite/read-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-reading-'));
const file = join(folder, 'empty.db');
new DatabaseSync(file).close();
const thread = createReadingThread<ReadWork>(
  new URL('./sqlite/read-worker.ts', import.meta.url),
  file,
  systemTimers,
  300,
);
afterAll(async () => {
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A query that takes about a second. */
const slow = {
  sql: 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000) select max(i) from n',
  parameters: [],
};
const quick = { sql: 'select 1 as one', parameters: [] };

test('abandoned reads do not delay others', async () => {
  await vi.waitFor(() => thread.run(quick), 10_000);
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => thread.run(slow)));
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(25);
  const startedAt = performance.now();
  await vi.waitFor(async () => expect(await thread.run(quick)).toEqual([{ one: 1 }]), 60_000);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

/** Creates a thread that returns each work, except one for which it runs this statement. */
function createMortalThread(work: string, statement: string) {
  const program = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ work }) => {
      if (work === ${JSON.stringify(work)}) ${statement};
      parentPort.postMessage({ result: work });
    });`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const mortal = createReadingThread<string>(url, file, systemTimers, 10_000);
  onTestFinished(() => mortal.close());
  return mortal;
}

test.each([
  ['dies', 'throw new Error("the thread died")', 'the thread died'],
  ['ends without an error', 'process.exit(0)', 'The thread ended'],
])('a thread that %s fails the work that it is at, and the next work gets another one', async (_how, how, message) => {
  const mortal = createMortalThread('die', how);
  for (const work of ['first', 'second']) {
    const results = await Promise.allSettled(['die', work].map((name) => mortal.run(name)));
    expect(results).toMatchObject([
      { status: 'rejected', reason: { message } },
      { status: 'fulfilled', value: work },
    ]);
    expect(await mortal.run(work)).toBe(work);
  }
});

test('a thread that cannot be started fails the waiting work, and a later one gets its thread', async () => {
  const program = new URL('http://127.0.0.1/no-program');
  const refused = createReadingThread<ReadWork>(program, file, systemTimers, 10_000);
  onTestFinished(() => refused.close());
  const results = await Promise.allSettled([refused.run(quick), refused.run(quick)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  program.href = new URL('./sqlite/read-worker.ts', import.meta.url).href;
  expect(await refused.run(quick)).toEqual([{ one: 1 }]);
});

test('alternates between users, regardless of the order of requests', async () => {
  const order: number[] = [];
  const ask = (user: number) =>
    runAsReader(user, async () => {
      await thread.run(quick);
      order.push(user);
    });
  await Promise.all([ask(1), ask(1), ask(1), ask(1), ask(2), ask(2)]);
  expect(order).toEqual([1, 1, 2, 1, 2, 1]);
});

test('receives 100,000 rows in turns with other work', async () => {
  const columns = Array.from({ length: 6 }, (_, nth) => `'a text of row ' || i as c${nth}`).join();
  const sql = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000) select i, ${columns} from n`;
  const patient = createReadingThread<ReadWork>(
    new URL('./sqlite/read-worker.ts', import.meta.url),
    file,
    systemTimers,
    60_000,
  );
  onTestFinished(() => patient.close());
  let rows: unknown;
  const block = await measureLongestBlock(async () => {
    rows = await patient.run({ sql, parameters: [] });
  });
  expect(rows).toHaveLength(100_000);
  expect(rows).toMatchObject({ 0: { i: 1 }, 99_999: { i: 100_000, c5: 'a text of row 100000' } });
  expect(block).toBeLessThan(25);
});
