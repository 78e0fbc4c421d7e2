import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { type CutLine, startCutLine } from '../../testing/cut-line.ts';
import { emptyDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { createSlices, type Slices } from './slice-thread.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let line: CutLine;
let slices: Slices;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  line = await startCutLine(await emptyDatabase(server));
  // The default is 15 seconds.
  slices = createSlices(`${line.url}?query_timeout=500`, systemTimers);
}, 120_000);
afterAll(async () => {
  if (server === undefined) return;
  await slices.close();
  await line.close();
});
beforeEach((context) => {
  if (server === undefined) context.skip('PostgreSQL is not installed here');
});

const noHours = { sql: `select 0 as hour, ''::bytea as packed where false`, parameters: [] };
const ask = () => slices.sum({ kind: 'models', source: { hours: noHours, calls: undefined } });

test('a connection that hangs for good is given up, and the next question gets another one', async () => {
  expect(await ask()).toEqual([]);
  line.hang();
  const hangs = expect(ask()).rejects.toThrow();
  line.takeNew();
  await hangs;
  await expect.poll(ask, { timeout: 10_000 }).toEqual([]);
}, 60_000);
