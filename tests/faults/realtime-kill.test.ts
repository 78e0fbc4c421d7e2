/**
 * `kill -9` during realtime sessions. A response whose end the client received is charged once and exactly; an
 * interrupted response is charged by its last checkpoint; and no hold is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { connectRealtime } from '../../apps/server/src/testing/realtime-test-client.ts';
import { type RealtimeUpstream, startRealtimeUpstream } from '../scripted-upstream/realtime.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { readChargesByRequest, waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const KILLS = pick(2, 5, 100);
const CLIENTS = 4;
/** Minimum and maximum audio chunks that each slow session receives before a kill. */
const PIECES_MIN = 110;
const PIECES_MAX = 300;
/** Half a point per token; 132 are input and 121 output tokens. */
const RESPONSE_POINTS = Math.ceil((132 + 121) / 2);
const QUICK = 'live+tokens-2';
/** Runs for eight seconds, in audio chunks of 100 ms with two tokens each. */
const SLOW = 'live+tokens-800+drip-10';

let upstream: RealtimeUpstream;
let folder: ProductFolder;
let key: string;

beforeAll(async () => {
  upstream = await startRealtimeUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-realtime-kill-')));
  const product = await startProduct(folder);
  ({ key } = await setUpProduct(product, folder, upstream.url, ['live*']));
  await product.stop('SIGTERM');
});

afterAll(async () => {
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

interface Heard {
  requestId: string;
  /** Completed responses. */
  done: number;
  /** Audio chunks. */
  pieces: number;
}

const DONE = 'response.done';
const PIECE = 'response.output_audio.delta';
const countOf = (events: readonly { type?: unknown }[], name: string): number =>
  events.filter(({ type }) => type === name).length;

/** Waits until the checkpoints of so many running responses are in the database. */
async function untilNoted(count: number): Promise<void> {
  const db = await openProductDatabase(folder.dataDir);
  const noted = () => db.writer.selectFrom('hold').select('checkpoint').where('checkpoint', 'is not', null).execute();
  await expect.poll(async () => (await noted()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  await db.close();
}

/** @param pieces audio chunks that each slow session receives before the kill */
async function killInSessions(pieces: number): Promise<{ quick: Heard[]; slow: Heard[] }> {
  const product = await startProduct(folder);
  const open = async (model: string) => {
    const caller = connectRealtime({ url: product.url, key }, model);
    await caller.waitForEvent('session.created');
    caller.socket.on('message', () => {
      if (model === QUICK && caller.events.at(-1)?.['type'] === 'response.done')
        caller.send({ type: 'response.create' });
    });
    caller.send({ type: 'response.create' });
    return caller;
  };
  const quick = await Promise.all(Array.from({ length: CLIENTS }, () => open(QUICK)));
  const slow = await Promise.all(Array.from({ length: CLIENTS }, () => open(SLOW)));
  await expect
    .poll(() => Math.min(...slow.map(({ events }) => countOf(events, PIECE))), { timeout: 60_000, interval: 5 })
    .toBeGreaterThanOrEqual(pieces);
  await expect.poll(() => Math.min(...quick.map(({ events }) => countOf(events, DONE)))).toBeGreaterThan(0);
  await untilNoted(CLIENTS);
  await product.stop('SIGKILL');
  const callers = [...quick, ...slow];
  await Promise.all(callers.map(({ closed }) => closed));
  const [atFirst, atLast] = [quick, slow].map((of) =>
    of.map(({ requestId, events }): Heard => {
      return { requestId, done: countOf(events, DONE), pieces: countOf(events, PIECE) };
    }),
  );
  return { quick: atFirst ?? [], slow: atLast ?? [] };
}

/** Opens the data like the next process. @returns charges by request id */
async function chargesAfterRestart(): Promise<ReadonlyMap<string, number[]>> {
  const db = await openProductDatabase(folder.dataDir);
  const ledger = await openLedger(db, systemClock, silentLog, folder.dataDir);
  await waitUntilNoHolds(db);
  const charges = await readChargesByRequest(db);
  const records = await db.writer.selectFrom('usage_record').select('quota').where('type', '=', 'consume').execute();
  const accounts = await db.writer.selectFrom('user_account').select('held').execute();
  expect(accounts.filter(({ held }) => held !== 0)).toEqual([]);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
  const charged = [...charges.values()].flat();
  expect(sum(records.map(({ quota }) => quota))).toBe(sum(charged));
  await ledger.close();
  await db.close();
  return charges;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test(`${KILLS} kills leave each response charged as reported, or by its last checkpoint, once`, async () => {
  let [whole, cutOff] = [0, 0];
  for (let round = 0; round < KILLS; round += 1) {
    // Each round kills at another moment.
    const share = momentOf(round);
    const { quick, slow } = await killInSessions(PIECES_MIN + share * (PIECES_MAX - PIECES_MIN));
    const charges = await chargesAfterRestart();
    for (const { requestId, done } of quick) {
      expect(done).toBeGreaterThan(0);
      for (let nth = 1; nth <= done; nth += 1)
        expect(charges.get(`${requestId}-${nth}`), `${requestId}-${nth}`).toEqual([RESPONSE_POINTS]);
      whole += done;
    }
    for (const { requestId, done, pieces } of slow) {
      expect([done, pieces > 100]).toEqual([0, true]);
      const [points = 0, ...more] = charges.get(`${requestId}-1`) ?? [];
      expect(more).toEqual([]);
      // At least one checkpoint was written, at most for all that was sent, with its five output tokens.
      expect(points).toBeGreaterThan(0);
      expect(points).toBeLessThanOrEqual(Math.ceil((upstreamPieces() * 2 + 5) / 2));
      cutOff += 1;
    }
    expect(await chargesAfterRestart()).toEqual(charges);
  }
  reportMeasurement(
    'P1',
    `${KILLS} × kill -9 in realtime sessions: ${whole} whole responses, each with its charge; ${cutOff} that were running, each charged as last noted`,
  );
});

/** Maximum that the upstream has sent of one response. */
function upstreamPieces(): number {
  return Math.max(...upstream.sessions.map(({ piecesSent }) => piecesSent));
}
