/**
 * P22 and P23: memory of streams. Many idle ones cost little each, and the memory is reused; one that is not read costs
 * its own buffer; a long one costs the same at its end as at its beginning.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { findFreePort } from '../find-free-port.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { pickLong, reportMeasurement } from '../tier.ts';
import { collectGarbage } from './collect-garbage.ts';
import { buildChatBody, openRawChat, type RawStream } from './raw-stream.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
  waitForStartJobs,
} from './start-product.ts';

const KB = 1024;
const MB = 1024 * KB;
const QUIET_STREAMS = pickLong(2_000, 9_500);
/**
 * Limit of the heap that an open stream holds in the product: parsers, sockets, buffers. It is 31.4 to 32.6 kB in runs
 * of the same program.
 */
const HEAP_EACH_MAX_KB = 34;
/** Time in which the process finishes the work of opening streams. */
const SETTLE_MS = pickLong(1_000, 5_000);
/** Each token is about 200 bytes on the wire. */
const BURST_TOKENS = pickLong(250_000, 1_000_000);
const LONG_TOKENS = pickLong(250_000, 1_000_000);
const LONG_BYTES_MIN = LONG_TOKENS * 150;
const LOOKS = 40;

/** Streams of a user that are read to their end at the same time. */
const LONG_DRAINS_MAX = 100;

let upstream: ScriptedUpstream;
let folder: ProductFolder;
let product: ProductProcess;
let key: string;
let inspectorPort: number;

/** Flags with which the manual starts it on a small machine. */
const SMALL = ['--max-semi-space-size=1', '--optimize-for-size'];

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-memory-')));
  product = await startProduct(folder, { flags: SMALL });
  ({ key } = await setUpProduct(product, folder, upstream.url, ['tokens-*']));
  await product.stop('SIGTERM');
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

beforeEach(async () => {
  inspectorPort = await findFreePort();
  // A second start, because the first one compiles all modules.
  product = await startProduct(folder, { flags: [...SMALL, `--inspect=127.0.0.1:${inspectorPort}`] });
  await waitForStartJobs(product, folder);
  for (let nth = 0; nth < 200; nth += 1) await openRawChat(product.url, key, buildChatBody('tokens-10')).closed;
});
afterEach(() => product.stop('SIGKILL'));

/** Waits until the upstream is paused because its client does not read. */
async function waitUntilPaused(): Promise<void> {
  let [last, unchanged] = [-1, 0];
  await vi.waitUntil(
    () => {
      const sent = upstream.requests.at(-1)?.piecesSent ?? 0;
      unchanged = sent === last && sent > 0 ? unchanged + 1 : 0;
      last = sent;
      return unchanged === LOOKS_WITHOUT_CHANGE;
    },
    { timeout: 60_000, interval: 50 },
  );
}
const LOOKS_WITHOUT_CHANGE = 20;

function residentBytes(): number {
  const status = readFileSync(`/proc/${product.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * KB;
}

/** Returns the bytes of the process without garbage. */
async function heldBytes(): Promise<{ heap: number; resident: number }> {
  await sleep(systemTimers, SETTLE_MS);
  return { heap: await collectGarbage(inspectorPort), resident: residentBytes() };
}

const handles = (): number => readdirSync(`/proc/${product.process.pid}/fd`).length;
const mb = (bytes: number): string => (bytes / MB).toFixed(0);

/** Opens half of the streams. @returns closes them */
async function openHalf(): Promise<() => Promise<void>> {
  const streams: RawStream[] = [];
  for (let opened = 0; opened < QUIET_STREAMS / 2; opened += 100) {
    const batch = Array.from({ length: Math.min(100, QUIET_STREAMS / 2 - opened) }, () =>
      openRawChat(product.url, key, buildChatBody('tokens-10+silent-after-5')),
    );
    streams.push(...batch);
    await expect.poll(() => batch.filter((stream) => stream.body().length > 0).length).toBe(batch.length);
  }
  return async () => {
    for (const { socket } of streams) socket.destroy();
    await Promise.all(streams.map(({ closed }) => closed));
  };
}

test(`${QUIET_STREAMS} idle streams cost ${HEAP_EACH_MAX_KB} kB of heap each, and their memory is reused`, async () => {
  const handlesBefore = handles();
  const before = await heldBytes();
  const closeFirst = await openHalf();
  const half = await heldBytes();
  const closeSecond = await openHalf();
  const open = await heldBytes();
  expect(handles()).toBeGreaterThanOrEqual(2 * QUIET_STREAMS);
  await Promise.all([closeFirst(), closeSecond()]);
  // Some streams are read on until they are idle for too long, because none of their model was ever complete.
  await expect.poll(handles).toBeLessThan(handlesBefore + 50 + LONG_DRAINS_MAX);
  const closeAll = [await openHalf(), await openHalf()];
  const again = await heldBytes();
  await Promise.all(closeAll.map((close) => close()));
  // The first half also pays for what is allocated once, such as pools and compiled code.
  const heapEach = (open.heap - half.heap) / (QUIET_STREAMS / 2);
  const residentEach = (open.resident - before.resident) / QUIET_STREAMS;
  reportMeasurement(
    'P22',
    `${QUIET_STREAMS} quiet streams: ${(residentEach / KB).toFixed(1)} kB each (${(heapEach / KB).toFixed(1)} kB on the heap), ${mb(open.resident)} MB resident; as many again after they closed: ${mb(again.resident)} MB`,
  );
  expect(heapEach).toBeLessThan(HEAP_EACH_MAX_KB * KB);
  expect(open.resident).toBeLessThan(512 * MB);
  expect(again.heap - open.heap).toBeLessThan((open.heap - before.heap) / 4);
  // Partly filled pages of the heap matter among a few streams.
  if (QUIET_STREAMS > 9_000) expect(residentEach).toBeLessThan(40 * KB);
});

test('a burst to a client that does not read stays at the upstream', async () => {
  // A first stream is read to its end, so that the heap has already grown to the size that any stream needs.
  const read = openRawChat(product.url, key, buildChatBody('tokens-50000'));
  read.stopRecording();
  await read.closed;
  const before = await heldBytes();
  const { socket } = openRawChat(product.url, key, buildChatBody(`tokens-${BURST_TOKENS}`));
  socket.pause();
  await waitUntilPaused();
  const held = await heldBytes();
  socket.destroy();
  const grown = held.resident - before.resident;
  const sent = upstream.requests.at(-1)?.piecesSent ?? 0;
  reportMeasurement('P23', `a burst of ${mb(BURST_TOKENS * 200)} MB to a client that does not read: +${mb(grown)} MB`);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(BURST_TOKENS);
  expect(grown).toBeLessThan(16 * MB);
});

test(`a stream of ${LONG_TOKENS} tokens costs the same memory at its end as at its beginning`, async () => {
  const looks: number[] = [];
  let bytes = 0;
  const stream = openRawChat(product.url, key, buildChatBody(`tokens-${LONG_TOKENS}`), (received) => {
    bytes = received;
    if (received > (looks.length * LONG_BYTES_MIN) / LOOKS) looks.push(residentBytes());
  });
  stream.stopRecording();
  await stream.closed;
  expect(looks.length).toBeGreaterThanOrEqual(LOOKS);
  const quarter = Math.floor(looks.length / 4);
  // The minimum right after a collection: between two collections, the resident size says little.
  const grown = Math.min(...looks.slice(-quarter)) - Math.min(...looks.slice(quarter, 2 * quarter));
  reportMeasurement(
    'P23',
    `a stream of ${LONG_TOKENS} tokens (${mb(bytes)} MB): +${mb(grown)} MB from its second quarter to its last`,
  );
  expect(bytes).toBeGreaterThan(LONG_BYTES_MIN);
  expect(grown).toBeLessThan(16 * MB);
});
