/**
 * P19 on SQLite: old records are removed while clients are served with little delay, and the write-ahead log stays
 * small. The search among ten million records is measured by `npm run bench -- --only="log rows"`.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { createVisitor, signIn } from '../../apps/server/src/testing/visitor.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { systemInfo } from '../../packages/contract/src/operations/system-info.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { duplicateCharge } from './repeat-charge.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  type ProductSetUp,
  setUpProduct,
  startProduct,
  waitForStartJobs,
} from './start-product.ts';

const RECORDS = pick(20_000, 40_000, 2_000_000);
const DAYS = 60;
const KEPT_DAYS = 30;
const CLIENTS = 4;
const WARM_UP_MS = 1_500;
const BEFORE_MS = pick(1_500, 3_000, 20_000);
const SLOWER_MAX = 1.2;
/** Only an idle machine shows the cost of the removal; `npm test` shares it with other tests. */
const SLOW_MS = pick(500, 500, 0);
const WAL_MAX_BYTES = 256_000_000;
const REMOVED_MS = pick(60_000, 60_000, 900_000);
const ON_FILE = { variables: { DATABASE_URL: '' } };

const work = mkdtempSync(join(tmpdir(), 'switchyard-p19-'));
let upstream: ScriptedUpstream;
let folder: ProductFolder;
let product: ProductProcess;
let site: ProductSetUp;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(join(work, 'data'));
  product = await startProduct(folder, ON_FILE);
  site = await setUpProduct(product, folder, upstream.url, ['tokens-*']);
  await timed();
  await product.stop('SIGTERM');
  duplicateCharge(folder.dataDir, RECORDS, DAYS);
  product = await startProduct(folder, ON_FILE);
  site = {
    ...site,
    root: createVisitor(product.url, await signIn(product.url, folder.root.username, folder.root.password)),
  };
  await waitForStartJobs(product, folder);
}, 600_000);
afterAll(async () => {
  await product.stop('SIGKILL');
  await upstream.close();
  rmSync(work, { recursive: true, force: true });
});

/** Milliseconds of a call. */
async function timed(): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tokens-10', messages: [{ role: 'user', content: 'two words' }] }),
  });
  await response.text();
  expect(response.status).toBe(200);
  return performance.now() - from;
}

/** Durations of the calls of several clients, without pause, until `done`. */
async function times(done: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const ended = done.then(() => {
    isDone = true;
  });
  const all: number[] = [];
  const client = async (): Promise<void> => {
    while (!isDone) all.push(await timed());
  };
  await Promise.all([ended, ...Array.from({ length: CLIENTS }, client)]);
  return all;
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}

async function jobIsOver(name: string): Promise<void> {
  for (const until = performance.now() + REMOVED_MS; performance.now() < until; await sleep(systemTimers, 100)) {
    const job = (await site.root.api(systemInfo).jobs()).find((one) => one.name === name);
    if (job?.running === false && job.last !== null) {
      expect(job.last).toMatchObject({ outcome: 'ok' });
      return;
    }
  }
  throw new Error(`${name} took too long`);
}

test(`half of ${RECORDS} records are removed while clients are served`, { timeout: REMOVED_MS + 300_000 }, async () => {
  await times(sleep(systemTimers, WARM_UP_MS));
  const quietBefore = p99(await times(sleep(systemTimers, BEFORE_MS)));
  await site.root.api(settings).updateMany({ body: [{ key: 'RecordDays', value: String(KEPT_DAYS) }] });
  let walBytes = 0;
  const timer = systemTimers.every(50, () => {
    walBytes = Math.max(walBytes, statSync(join(folder.dataDir, 'switchyard.db-wal')).size);
  });
  const from = performance.now();
  await site.root.api(systemInfo).runJob({ params: { name: 'remove-old-records' } });
  const busy = p99(await times(jobIsOver('remove-old-records')));
  const ms = performance.now() - from;
  timer.close();
  // The machine may have become busier: calls without removal count with the longer duration of the two.
  const quietAfter = p99(await times(sleep(systemTimers, BEFORE_MS)));
  const quiet = Math.max(quietBefore, quietAfter);
  reportMeasurement(
    'P19',
    `half of ${RECORDS} records removed from a file in ${(ms / 1000).toFixed(1)} s beside ${CLIENTS} clients: p99 of a call ${busy.toFixed(1)} ms, without removal ${quiet.toFixed(1)}; write-ahead log ${Math.round(walBytes / 1e6)} MB at most`,
  );
  expect(walBytes).toBeLessThan(WAL_MAX_BYTES);
  expect(busy).toBeLessThan(Math.max(quiet * SLOWER_MAX, SLOW_MS));
});
