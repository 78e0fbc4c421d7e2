import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { type FaultyProxy, startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createEmptyDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { createRollupThread, type RollupThread } from './rollup-thread.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let line: FaultyProxy;
let slices: RollupThread;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  line = await startFaultyProxy(await createEmptyDatabase(server));
  // The default is 15 seconds.
  slices = createRollupThread(`${line.url}?query_timeout=500`, systemTimers);
});
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

test('a connection that hangs is aborted, and the next query gets another one', async () => {
  expect(await ask()).toEqual([]);
  line.hang();
  const hangs = expect(ask()).rejects.toThrow();
  line.acceptNew();
  await hangs;
  await expect.poll(ask).toEqual([]);
});
