/**
 * `kill -9` under load. The rule that holds: an answer is sent in the same turn of the event loop in which its charge
 * is handed to the next commit, and every later hold is written in that commit or a later one. So
 * - nothing is charged twice, and nothing in a wrong amount;
 * - an answered request lacks its charge only if the process died before that commit. Then it was its client's last
 *   answer, and nothing that the client asked afterwards reached the upstream;
 * - what was on its way at the kill is released and costs nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/db/db.ts';
import { openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { newProductFolder, type ProductFolder, setUpProduct, startProduct } from './product.ts';
import { type Answered, startLoad } from './relay-load.ts';

const KILLS = 60;
const CLIENTS = 8;
const LOAD_MS_MIN = 20;
const LOAD_MS_MAX = 250;
const DATABASE = 'switchyard.db';

let upstream: ScriptedUpstream;
let folder: ProductFolder;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = newProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-kill-')));
  const product = await startProduct(folder);
  ({ key } = await setUpProduct(product, folder, upstream.url, ['tokens-*', 'status-*']));
  await product.stop('SIGTERM');
}, 60_000);

afterAll(async () => {
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Loads the product for a while and kills it in the middle of it. */
async function killUnderLoad(round: number): Promise<Answered[]> {
  const product = await startProduct(folder);
  const load = startLoad(product.url, key, CLIENTS, round);
  // A different moment in each round, the same moments in each run.
  const share = (round * 0.618_033_988) % 1;
  await pause(LOAD_MS_MIN + share * (LOAD_MS_MAX - LOAD_MS_MIN));
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
  /** Balances as they are, and as they were without any charge. */
  balanceSum: number;
  incomeSum: number;
}

/** Opens the data as the next process would, with its recovery, and reads everything that must agree. */
async function openBooks(): Promise<Books> {
  const db = await openDatabase(join(folder.dataDir, DATABASE));
  const ledger = openLedger(db, systemClock, silentLog);
  const entries = await db.writer.selectFrom('ledger_entry').select(['kind', 'ref', 'user_amount']).execute();
  const records = await db.writer
    .selectFrom('usage_record')
    .select('quota')
    .where('type', '=', 'consume')
    .execute();
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

/** Whether the upstream was called for a request that this client sent after the answered one. */
function askedAgain({ marker, nth }: Answered, reached: ReadonlySet<string>): boolean {
  return reached.has(marker.replace(/\d+$/, String(nth + 1)));
}

describe(`${KILLS} kills under load`, () => {
  const answered: Answered[] = [];
  let books: Books;
  let reached: Set<string>;

  test('leave books that agree after each restart', async () => {
    for (let round = 0; round < KILLS; round += 1) {
      answered.push(...(await killUnderLoad(round)));
      books = await openBooks();
      expect(books.problems).toEqual([]);
      expect(books.openHolds).toBe(0);
      expect(books.recordSum).toBe(books.chargeSum);
      expect(books.incomeSum - books.balanceSum).toBe(books.chargeSum);
    }
    const markers = upstream.requests.map(({ body }) => /marker (\d+-\d+-\d+)/.exec(body)?.[1] ?? '');
    reached = new Set(markers);
    expect(answered.length).toBeGreaterThan(KILLS * CLIENTS);
  }, 240_000);

  test('charge every answered request once and exactly, but for a last one that died before its commit', () => {
    const wrong: (Answered & { charges: number[] })[] = [];
    let lost = 0;
    for (const answer of answered) {
      const charges = books.charges.get(answer.requestId) ?? [];
      const expected = answer.expected === 0 ? [] : [answer.expected];
      if (JSON.stringify(charges) === JSON.stringify(expected)) continue;
      if (charges.length === 0 && !askedAgain(answer, reached)) lost += 1;
      else wrong.push({ ...answer, charges });
    }
    expect(wrong).toEqual([]);
    expect(lost).toBeLessThanOrEqual(KILLS * CLIENTS);
    console.log(
      `${answered.length} answers, ${lost} of them lost their charge in the last turn before a kill`,
    );
  });

  test('charge nothing that the upstream did not serve', () => {
    expect(books.charges.size).toBeGreaterThan(KILLS);
    expect(books.charges.size).toBeLessThanOrEqual(upstream.requests.length);
    const most = sum(
      upstream.requests.map(({ usage }) => Math.ceil(((usage?.input ?? 0) + (usage?.output ?? 0)) / 2)),
    );
    expect(books.chargeSum).toBeLessThanOrEqual(most);
  });
});
