/**
 * `kill -9` under load. The end of a response is sent after its charge is committed. Therefore
 * - every complete response is charged, once and exactly;
 * - a response that was interrupted by the kill costs nothing, and its hold is released.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemClock, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { isOnPostgres, openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { type AnsweredRequest, startLoad } from './relay-load.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const KILLS = pick(6, 40, 2_000);
const CLIENTS = 8;
const LOAD_MS_MIN = 20;
const LOAD_MS_MAX = 250;
const FIRST_ANSWER_MS = 60_000;
/** A busy machine takes seconds for each start. */
const TIMEOUT_MS = KILLS * 20_000;

let upstream: ScriptedUpstream;
let folder: ProductFolder;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-kill-')));
  const product = await startProduct(folder);
  ({ key } = await setUpProduct(product, folder, upstream.url, ['tokens-*', 'status-*']));
  await product.stop('SIGTERM');
});

afterAll(async () => {
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Loads the product for a while and kills it meanwhile. */
async function killUnderLoad(round: number): Promise<AnsweredRequest[]> {
  const product = await startProduct(folder);
  const load = startLoad(product.url, key, CLIENTS, round);
  // A busy machine may send no response within the time below. In every second round it counts from the first response.
  if (round % 2 === 1) await vi.waitUntil(() => load.answered.length > 0, { timeout: FIRST_ANSWER_MS, interval: 1 });
  // Each round kills at another moment.
  await sleep(systemTimers, LOAD_MS_MIN + momentOf(round) * (LOAD_MS_MAX - LOAD_MS_MIN));
  await product.stop('SIGKILL');
  await load.ended;
  return load.answered;
}

interface Books {
  problems: string[];
  openHolds: number;
  /** Charges by request id. */
  charges: Map<string, number[]>;
  chargeSum: number;
  recordSum: number;
  /** Balances now, and without any charge. */
  balanceSum: number;
  incomeSum: number;
}

/** Opens the data like the next process, with its recovery, and reads everything that must agree. */
async function openBooks(isLast: boolean): Promise<Books> {
  const db = await openProductDatabase(folder.dataDir);
  const ledger = await openLedger(db, systemClock, silentLog, folder.dataDir);
  if (isLast) await waitUntilNoHolds(db);
  const entries = await db.writer.selectFrom('ledger_entry').select(['kind', 'ref', 'user_amount']).execute();
  const records = await db.writer.selectFrom('usage_record').select('quota').where('type', '=', 'consume').execute();
  const accounts = await db.writer.selectFrom('user_account').select(['balance', 'held']).execute();
  const holds = await db.writer.selectFrom('hold').selectAll().execute();
  const { problems } = await verifyLedger(db.writer);
  await ledger.close();
  await db.close();
  const charges = new Map<string, number[]>();
  for (const { kind, ref, user_amount } of entries)
    if (kind === 'charge') charges.set(ref, [...(charges.get(ref) ?? []), -user_amount]);
  const income = entries.filter(({ kind }) => kind !== 'charge');
  return {
    problems,
    openHolds: holds.length + accounts.filter(({ held }) => held !== 0).length,
    charges,
    chargeSum: sum([...charges.values()].flat()),
    recordSum: sum(records.map(({ quota }) => quota)),
    balanceSum: sum(accounts.map(({ balance }) => balance)),
    incomeSum: sum(income.map(({ user_amount }) => user_amount)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe(`${KILLS} kills under load`, () => {
  const answered: AnsweredRequest[] = [];
  let ledger: Books;

  test(
    'leave books that agree after each restart',
    async () => {
      for (let round = 0; round < KILLS; round += 1) {
        answered.push(...(await killUnderLoad(round)));
        const isLast = round === KILLS - 1;
        ledger = await openBooks(isLast);
        expect(ledger.problems).toEqual([]);
        // The holds of a node outlive it by more than the time between two kills.
        if (isLast || !isOnPostgres) expect(ledger.openHolds).toBe(0);
        expect(ledger.recordSum).toBe(ledger.chargeSum);
        expect(ledger.incomeSum - ledger.balanceSum).toBe(ledger.chargeSum);
      }
      expect(answered.length).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));
    },
    TIMEOUT_MS,
  );

  test('charge every complete response once and exactly', () => {
    const wrong = answered.filter(({ requestId, expected }) => {
      const charges = ledger.charges.get(requestId) ?? [];
      return JSON.stringify(charges) !== JSON.stringify(expected === 0 ? [] : [expected]);
    });
    expect(wrong).toEqual([]);
    reportMeasurement(
      'P1',
      `${KILLS} × kill -9 under load: ${answered.length} whole answers, each with its charge, 0 points off`,
    );
  });

  test('charge nothing that the upstream did not serve', () => {
    expect(ledger.charges.size).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));
    expect(ledger.charges.size).toBeLessThanOrEqual(upstream.requests.length);
    const most = sum(upstream.requests.map(({ usage }) => Math.ceil(((usage?.input ?? 0) + (usage?.output ?? 0)) / 2)));
    expect(ledger.chargeSum).toBeLessThanOrEqual(most);
  });
});
