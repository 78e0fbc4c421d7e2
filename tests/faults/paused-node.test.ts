/**
 * P18 with nodes that pause and continue, like a suspended virtual machine or a busy event loop.
 * - What a client received is charged once, in full, although the other nodes ended the holds meanwhile.
 * - A node that lost its lease ends its running requests with an error, and serves again.
 * - A node keeps its holds while only its event loop is busy.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openProductDatabase } from '../test-database.ts';
import { reportMeasurement } from '../tier.ts';
import { computeExpectedPoints } from './billing-rule.ts';
import { readChargesByRequest, waitUntilNoHolds } from './compare-charges.ts';
import { type NodesScene, startNodesScene } from './nodes.ts';
import { createProductFolder, type ProductProcess, setUpProduct, startProduct } from './start-product.ts';

const STREAMS = 14;
const WHOLE = 6;
/** 8 s, with tolerance for a busy machine. */
const WORDS_BEFORE_STOP_MAX = 200;
const PROMPT_WORDS = 2;
/** A lease with its grace period is 30 s. */
const PAUSE_MS = 40_000;
/** Module that blocks only the main thread of the product when it gets a signal. */
const BLOCKS_ON_SIGNAL = `--import=data:text/javascript,process.on('SIGUSR2',()=>Atomics.wait(new(Int32Array)(new(SharedArrayBuffer)(4)),0,0,${PAUSE_MS}))`;
/** Half a point per token. */
const pointsOf = (outputTokens: number): number => Math.max(1, Math.ceil((PROMPT_WORDS + outputTokens) / 2));

interface Received {
  requestId: string;
  isStream: boolean;
  status: number;
  /** Words of the response. */
  words: number;
  isWhole: boolean;
  hasError: boolean;
  /** Points by the price list, or by the documented rule for the delivered part of an interrupted stream. */
  expected: number;
}

/** @param model slow enough to run while the node is paused */
async function receive(url: string, key: string, model: string, isStream: boolean): Promise<Received> {
  const body = JSON.stringify({ model, stream: isStream, messages: [{ role: 'user', content: 'two words' }] });
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    // The stream was interrupted; what was received counts.
  }
  const words = text.match(/token\d+/g)?.length ?? 0;
  const isWhole = isStream ? text.includes('[DONE]') : response.ok;
  return {
    requestId: response.headers.get('x-request-id') ?? '',
    isStream,
    status: response.status,
    words,
    isWhole,
    hasError: text.includes('"error"'),
    expected: isWhole ? pointsOf(words) : isStream ? Math.ceil(computeExpectedPoints(body, text) / 2) : 0,
  };
}

function startCalls(url: string, key: string, { stream, whole }: { stream: string; whole: string }) {
  return [
    ...Array.from({ length: STREAMS }, () => receive(url, key, stream, true)),
    ...Array.from({ length: WHOLE }, () => receive(url, key, whole, false)),
  ];
}

/** Requests that were not charged for what their client received. */
async function wrongly(db: Database, received: readonly Received[]) {
  const charges = await readChargesByRequest(db);
  return received.flatMap((one) => {
    const { requestId, expected } = one;
    const charged = [requestId, `${requestId}-late`].flatMap((ref) => charges.get(ref) ?? []);
    const points = charged.reduce((total, charge) => total + charge, 0);
    return points === expected ? [] : [{ ...one, charged }];
  });
}

async function stopFor({ process }: ProductProcess, ms: number, meanwhile: () => Promise<void>): Promise<void> {
  process.kill('SIGSTOP');
  await Promise.all([sleep(systemTimers, ms), meanwhile()]);
  process.kill('SIGCONT');
}

describe('three nodes', () => {
  let started: NodesScene | undefined;
  let scene: NodesScene;

  beforeAll(async () => {
    started = await startNodesScene({ NODE_OPTIONS: BLOCKS_ON_SIGNAL });
    if (started !== undefined) scene = started;
  });
  beforeEach((context) => {
    if (started === undefined) context.skip('PostgreSQL is not installed here');
  });
  afterAll(() => started?.close());

  test('a node that was paused until the others ended its holds charges what clients received', async () => {
    const { nodes, db, key } = scene;
    const [node] = nodes.products;
    if (node === undefined) throw new Error('There are no nodes');
    const calls = startCalls(node.url, key, {
      // Runs for 90 s, of which the first part is delivered before the pause.
      stream: 'tokens-900+drip-100',
      whole: 'tokens-40+slow-first-byte-20000',
    });
    await sleep(systemTimers, 8_000);
    await stopFor(node, PAUSE_MS, () => waitUntilNoHolds(db));
    const received = await Promise.all(calls);
    const cut = received.filter(({ isStream, hasError }) => isStream && hasError);
    expect(cut).toHaveLength(STREAMS);
    // A word arrives every 100 ms: what arrived during the pause is not delivered afterwards.
    for (const { words } of cut) expect(words).toBeLessThan(WORDS_BEFORE_STOP_MAX);
    await waitUntilNoHolds(db);
    expect(await wrongly(db, received)).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    await expect.poll(async () => (await receive(node.url, key, 'tokens-4', false)).status).toBe(200);
    const words = received.reduce((total, one) => total + one.words, 0);
    reportMeasurement('P18', `a node stopped for ${PAUSE_MS / 1000} s: ${words} words received, all charged`);
  });

  test('a node whose event loop is busy for longer than its lease keeps its holds', async () => {
    const { nodes, db, key } = scene;
    const [, node] = nodes.products;
    if (node === undefined) throw new Error('There are no nodes');
    const calls = startCalls(node.url, key, { stream: 'tokens-300+drip-30', whole: 'tokens-40+slow-first-byte-10000' });
    await sleep(systemTimers, 5_000);
    node.process.kill('SIGUSR2');
    const received = await Promise.all(calls);
    expect(received.filter(({ isWhole }) => !isWhole)).toEqual([]);
    await waitUntilNoHolds(db);
    expect(await wrongly(db, received)).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
  });
});

describe('one node with SQLite', () => {
  test('a node with SQLite that was paused charges what clients received', async () => {
    const upstream = await startScriptedUpstream();
    const folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-paused-')));
    const product = await startProduct(folder);
    const { key } = await setUpProduct(product, folder, upstream.url, ['tokens-*']);
    const calls = startCalls(product.url, key, {
      stream: 'tokens-300+drip-30',
      whole: 'tokens-40+slow-first-byte-10000',
    });
    await sleep(systemTimers, 5_000);
    await stopFor(product, PAUSE_MS, async () => {});
    const received = await Promise.all(calls);
    await product.stop('SIGTERM');
    const db = await openProductDatabase(folder.dataDir);
    expect(await wrongly(db, received)).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    await db.close();
    await upstream.close();
    rmSync(folder.dataDir, { recursive: true, force: true });
  });
});
