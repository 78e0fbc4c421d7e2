/**
 * P25: a stop lets streams finish for a while, ends the others with an error, and leaves no hold open. A second signal
 * skips the wait.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openProductDatabase } from '../test-database.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { buildChatBody, openRawChat, type RawStream } from './raw-stream.ts';
import { createProductFolder, type ProductProcess, setUpProduct, startProduct } from './start-product.ts';

const STREAMS = pick(200, 500);
const DRAIN_SECONDS = pick(2, 3, 30);
const GRACE_SECONDS = 5;

let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterAll(() => upstream.close());

async function startWithStreams(
  drainSeconds: number,
  models: (nth: number) => string,
): Promise<{ product: ProductProcess; streams: RawStream[]; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-stop-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const folder = createProductFolder(dataDir);
  const product = await startProduct(folder, { drainSeconds });
  onTestFinished(() => void product.process.kill('SIGKILL'));
  const { key } = await setUpProduct(product, folder, upstream.url, ['tokens-*']);
  const streams = Array.from({ length: STREAMS }, (_, nth) =>
    openRawChat(product.url, key, buildChatBody(models(nth))),
  );
  await expect.poll(() => streams.filter((stream) => stream.body().length > 0).length).toBe(STREAMS);
  return { product, streams, dataDir };
}

/** Waits until new connections are refused while the streams continue. */
async function untilRefused(product: ProductProcess): Promise<void> {
  const isReached = () =>
    fetch(`${product.url}/readyz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isReached, { interval: 20 }).toBe(false);
  expect(product.process.exitCode).toBeNull();
}

/** Reads the data as the process left it, without a recovery. */
async function booksOf(dataDir: string) {
  const db = await openProductDatabase(dataDir);
  const holds = await db.writer.selectFrom('hold').selectAll().execute();
  const records = await db.writer.selectFrom('usage_record').selectAll().where('type', '=', 'consume').execute();
  const { problems } = await verifyLedger(db.writer);
  await db.close();
  return { holds: holds.length, records: records.length, problems };
}

test(`${STREAMS} streams at a SIGTERM finish within the drain, or end with an error and are charged`, async () => {
  const dripMs = 50;
  // Half of them end in the middle of the drain, the others long after it.
  const shortTokens = Math.ceil((DRAIN_SECONDS * 500) / dripMs);
  const { product, streams, dataDir } = await startWithStreams(DRAIN_SECONDS, (nth) =>
    nth % 2 === 0 ? `tokens-${shortTokens}+drip-${dripMs}ms` : 'tokens-200+drip-1000ms',
  );
  const stoppedAt = performance.now();
  product.process.kill('SIGTERM');
  await untilRefused(product);
  expect(await product.exit).toBe(0);
  const tookSeconds = (performance.now() - stoppedAt) / 1000;
  await Promise.all(streams.map(({ closed }) => closed));
  const ends = streams.map((stream) => stream.body().toString().slice(-400));
  expect(ends.filter((end) => end.includes('[DONE]'))).toHaveLength(STREAMS / 2);
  expect(ends.filter((end) => end.includes('gateway_stopping') && !end.includes('[DONE]'))).toHaveLength(STREAMS / 2);
  expect(tookSeconds).toBeLessThan(DRAIN_SECONDS + GRACE_SECONDS);
  expect(await booksOf(dataDir)).toEqual({ holds: 0, records: STREAMS, problems: [] });
  reportMeasurement(
    'P25',
    `SIGTERM with ${STREAMS} streams, drain ${DRAIN_SECONDS} s: gone after ${tookSeconds.toFixed(1)} s, half finished, half ended with an error event, all charged, 0 holds open`,
  );
});

test('a second signal skips the wait, and still charges what was delivered', async () => {
  const { product, dataDir } = await startWithStreams(60, () => 'tokens-200+drip-1000ms');
  product.process.kill('SIGTERM');
  await untilRefused(product);
  const hurriedAt = performance.now();
  product.process.kill('SIGTERM');
  expect(await product.exit).toBe(0);
  expect(performance.now() - hurriedAt).toBeLessThan(GRACE_SECONDS * 1000);
  expect(await booksOf(dataDir)).toEqual({ holds: 0, records: STREAMS, problems: [] });
});
