/** Two nodes under load: one is held up past its lease, and PostgreSQL crashes. No charge is lost or made twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../apps/server/src/db/db.ts';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import {
  createDatabase,
  type DatabaseServer,
  postgresPool,
  startPostgres,
} from '../../apps/server/src/testing/database-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { wronglyCharged } from './charges.ts';
import { type Nodes, startNodes } from './nodes.ts';
import { setUpProduct } from './product.ts';
import { startSteadyLoad } from './relay-load.ts';

const CLIENTS = 4;
/** Longer than its lease and the grace after it. */
const HELD_UP_MS = 40_000;

let server: DatabaseServer | undefined;
let databaseUrl: string;
let upstream: ScriptedUpstream;
let folder: string;
let nodes: Nodes;
let db: Database;
let key: string;

beforeAll(async () => {
  server = await startPostgres();
  if (server === undefined) return;
  databaseUrl = await createDatabase(server, 'storm');
  upstream = await startScriptedUpstream();
  folder = mkdtempSync(join(tmpdir(), 'switchyard-storm-'));
  nodes = await startNodes(folder, { DATABASE_URL: databaseUrl }, { count: 2 });
  const [product] = nodes.products;
  if (product === undefined) throw new Error('There are no nodes');
  ({ key } = await setUpProduct(product, nodes, upstream.url, ['tokens-*', 'status-*']));
  db = await openDatabase(databaseUrl);
  await pause(1_500);
}, 120_000);

beforeEach((context) => {
  if (server === undefined) context.skip('PostgreSQL is not installed here');
});

afterAll(async () => {
  if (server === undefined) return;
  await nodes.close();
  await db.close();
  await upstream.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Of each node by itself. */
const startLoad = (name: string) =>
  startSteadyLoad(
    nodes.products.flatMap(({ url }) => Array.from({ length: CLIENTS }, () => url)),
    key,
    name,
  );

const noHolds = () =>
  expect
    .poll(() => db.writer.selectFrom('hold').selectAll().execute(), { timeout: 60_000, interval: 500 })
    .toEqual([]);

/** Ends all connections and everything that is not committed, as a crash of its machine. */
async function crashPostgres(): Promise<void> {
  const pool = postgresPool(server?.uri ?? '');
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'switchyard' limit 1`,
  );
  pool.on('error', () => {});
  const [backend] = rows;
  if (backend === undefined) throw new Error('No node is connected to PostgreSQL');
  process.kill(backend.pid, 'SIGKILL');
  await pause(500);
  await pool.end().catch(() => {});
}

test('PostgreSQL crashes three times under load: what clients have whole is charged once', {
  timeout: 240_000,
}, async () => {
  const load = startLoad('crash');
  for (let round = 0; round < 3; round += 1) {
    await pause(3_000);
    await crashPostgres();
  }
  await pause(8_000);
  const before = load.answered.length;
  await pause(2_000);
  expect(load.answered.length, 'both go on').toBeGreaterThan(before);
  await load.stop();
  await noHolds();
  expect(await wronglyCharged(db, load.answered)).toEqual([]);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
});

test('a node that is held up for longer than its lease serves nothing that it cannot charge', {
  timeout: 240_000,
}, async () => {
  const load = startLoad('held-up');
  await pause(3_000);
  nodes.products[0]?.process.kill('SIGSTOP');
  await pause(HELD_UP_MS);
  nodes.products[0]?.process.kill('SIGCONT');
  await pause(8_000);
  await load.stop();
  await noHolds();
  const wrong = await wronglyCharged(db, load.answered);
  expect(wrong.length, 'no more than what was on its way').toBeLessThanOrEqual(CLIENTS);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
});
