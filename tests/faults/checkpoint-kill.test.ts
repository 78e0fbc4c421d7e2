/** `kill -9` between checkpoints: the cost of a request at its last committed checkpoint is charged, once. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/db/open-database.ts';
import { openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemClock, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { compileCacheFlags } from './start-product.ts';

const KILLS = pick(3, 12, 500);
const RUN_MS_MAX = 120;
const PROGRAM = join(import.meta.dirname, 'checkpoint-process.ts');

let folder: string;

async function openBooks() {
  const db = await openDatabase(join(folder, 'ledger.db'));
  const ledger = await openLedger(db, systemClock, silentLog, folder);
  const close = async () => {
    await ledger.close();
    await db.close();
  };
  return { db, ledger, close };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-checkpoints-'));
  const { ledger, close } = await openBooks();
  await ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 1_000_000_000);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 1_000_000_000, note: '' });
  });
  await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Known {
  /** Points of the last checkpoint that is known to be committed; 0: only the hold. */
  checkpoint: number;
  settled: number | undefined;
}

/** Runs the process for a moment, kills it, and reads its log. */
async function killAfter(round: number, ms: number): Promise<Map<string, Known>> {
  const child = spawn(process.execPath, [...compileCacheFlags, PROGRAM, folder, String(round)], { stdio: 'inherit' });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const readOutput = () => readFileSync(join(folder, `said-${round}`), { encoding: 'utf8', flag: 'a+' });
  await expect.poll(() => readOutput().length, { interval: 5 }).toBeGreaterThan(0);
  await sleep(systemTimers, ms);
  child.kill('SIGKILL');
  await exited;
  const known = new Map<string, Known>();
  // The last line may be incomplete.
  for (const line of readOutput().split('\n').slice(0, -1)) {
    const [what, id = '', points = '0'] = line.split(' ');
    const request = known.get(id) ?? { checkpoint: 0, settled: undefined };
    if (what === 'c') request.checkpoint = Number(points);
    if (what === 's') request.settled = Number(points);
    known.set(id, request);
  }
  return known;
}

test(`${KILLS} kills leave each request charged for its last checkpoint or its end`, async () => {
  let requests = 0;
  let cutOff = 0;
  for (let round = 0; round < KILLS; round += 1) {
    // Each round kills at another moment.
    const known = await killAfter(round, momentOf(round) * RUN_MS_MAX);
    const { db, ledger, close } = await openBooks();
    const entries = await db.writer
      .selectFrom('ledger_entry')
      .select(['ref', 'user_amount'])
      .where('kind', '=', 'charge')
      .execute();
    const charges = new Map(entries.map(({ ref, user_amount }) => [ref, -user_amount]));
    for (const [id, { checkpoint, settled }] of known) {
      const charge = charges.get(id) ?? 0;
      // A commit that was not logged any more can only be a later one.
      if (settled === undefined) expect(charge, id).toBeGreaterThanOrEqual(checkpoint);
      else expect(charge, id).toBe(settled);
      if (settled === undefined && checkpoint > 0) cutOff += 1;
    }
    requests += known.size;
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect(await ledger.readAvailable(1)).toBe(
      1_000_000_000 - [...charges.values()].reduce((sum, points) => sum + points, 0),
    );
    await close();
  }
  expect(cutOff).toBeGreaterThan(KILLS);
  reportMeasurement(
    'P1',
    `${KILLS} × kill -9 between checkpoints: ${requests} requests, ${cutOff} of them cut off and charged for their last checkpoint, 0 points off`,
  );
});
