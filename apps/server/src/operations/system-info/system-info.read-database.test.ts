/** With a streaming replica of PostgreSQL, where this machine has it. */
import { systemInfo } from '@switchyard/contract/operations/system-info';
import { analytics } from '@switchyard/contract/usage/analytics';
import { dashboard } from '@switchyard/contract/usage/dashboard';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createDatabase,
  type DatabaseServer,
  type ReplicaServer,
  startPostgres,
  startReplica,
} from '../../testing/database-server.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { parseMetrics } from '../../testing/parse-metrics.ts';
import { type SignedInUser, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const SOON = { timeout: 60_000, interval: 100 };
const credentials = 'a-token-for-the-scraper';

let server: DatabaseServer | undefined;
let replica: ReplicaServer;
let app: TestApp;
let root: SignedInUser;

beforeAll(async () => {
  server = await startPostgres();
  if (server === undefined) return;
  const databaseUrl = await createDatabase(server, 'replicated');
  replica = await startReplica({ uri: databaseUrl });
  app = await startTestApp({
    config: {
      databaseUrl,
      replica: { url: replica.uri, maxLagMs: 6_000 },
      metricsReaders: [{ scheme: 'Bearer', credentials }],
    },
  });
  root = await app.createUser('root');
});
afterAll(async () => {
  if (server === undefined) return;
  await app.close();
  await replica.close();
  await server.close();
});
beforeEach(async (context) => {
  if (server === undefined) return context.skip('PostgreSQL is not installed here');
  await expect.poll(use, SOON).toBe('in-use');
});

const use = async () => (await root.api(systemInfo).get()).database.replica?.use;
const countOfLog = async () =>
  (await root.api(usageRecords).list({ query: { page: 1, size: 10, log_type: 'consume' } })).total_count;
async function metric(name: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${credentials}` };
  const text = await (await fetch(`${app.url}/api/metrics`, { headers })).text();
  return parseMetrics(text).get(name)?.samples[0]?.value;
}

test('the log and the dashboard show a call as soon as the replica has it', async () => {
  await insertUsageRecords(app.ctx, root.id, [{}, {}]);
  await expect.poll(countOfLog, SOON).toBe(2);
  const figures = await root.api(dashboard).own({ query: { days: 1, utc_offset: 0 } });
  expect(figures.current.requests).toBe(2);
  const now = Math.floor(Date.now() / 1000);
  const query = { start_timestamp: now - 3_600, end_timestamp: now, measure: 'requests' } as const;
  expect((await root.api(analytics).ask({ query })).total.current.requests).toBe(2);
  expect(await metric('switchyard_replica_in_use')).toBe(1);
});

test('a stalled replica hides a call up to its allowed delay; a fresh write is read at once', async () => {
  const before = await countOfLog();
  await replica.query('select pg_wal_replay_pause()');
  await insertUsageRecords(app.ctx, root.id, [{}]);
  expect(await countOfLog()).toBe(before);
  const other = await app.createUser('user', { username: 'newcomer' });
  expect(other.id).toBeGreaterThan(0);
  await expect.poll(countOfLog, SOON).toBe(before + 1);
  expect(await use()).toBe('behind');
  expect(await metric('switchyard_replica_in_use')).toBe(0);
  expect(await metric('switchyard_replica_lag_seconds')).toBeGreaterThan(6);
  await replica.query('select pg_wal_replay_resume()');
  await expect.poll(use, SOON).toBe('in-use');
  expect(await countOfLog()).toBe(before + 1);
});
