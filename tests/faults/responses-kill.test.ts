/**
 * `kill -9` while background responses run. Each returned id has, after the restart, a response or the reason of its
 * failure; each is charged at most once, and after all have ended, no hold is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const RESPONSES = pick(60, 200, 2_000);
const KILLS = pick(2, 5, 20);
const LANES = 20;
const TIMEOUT_MS = 240_000;

let upstream: ScriptedUpstream;
let folder: ProductFolder;
let key: string;
let db: Database;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-responses-kill-')));
  const product = await startProduct(folder);
  ({ key } = await setUpProduct(product, folder, upstream.url, ['scripted*']));
  await product.stop('SIGTERM');
  db = await openProductDatabase(folder.dataDir);
});

afterAll(async () => {
  await db.close();
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

/** Returns a model with another duration for each response, so that some have ended while others run. */
const modelOf = (nth: number): string => `scripted+slow-first-byte-${100 + ((nth * 97) % 1_000)}+drip-20ms`;

/** Submits responses, half of them as streams. @returns the received ids */
async function begin(url: string, count: number): Promise<string[]> {
  const report: string[] = [];
  const one = async (nth: number): Promise<void> => {
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify({ model: modelOf(nth), input: 'hello', background: true, stream: nth % 2 === 1 }),
    });
    if (response.status !== 200) return;
    const id = /"id":"(resp_\w+)"/.exec(await response.text())?.[1];
    if (id !== undefined) report.push(id);
  };
  let next = 0;
  const lanes = Array.from({ length: LANES }, async () => {
    while (next < count) await one(next++);
  });
  await Promise.allSettled(lanes);
  return report;
}

async function countTasks(ended: 'is' | 'is not'): Promise<number> {
  const rows = await db.writer.selectFrom('task').select('id').where('ended_at', ended, null).execute();
  return rows.length;
}
const openTasks = () => countTasks('is');
const endedTasks = () => countTasks('is not');

test(
  `${KILLS} kills during ${RESPONSES} background responses: each ends, and is charged at most once`,
  async () => {
    const report: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const product = await startProduct(folder);
      const count = RESPONSES / KILLS;
      const enough = (await endedTasks()) + count * (0.1 + 0.6 * momentOf(round));
      const beginning = begin(product.url, count);
      await expect.poll(endedTasks, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(enough);
      await product.stop('SIGKILL');
      report.push(...(await beginning));
    }
    const product = await startProduct(folder);
    await waitUntilNoHolds(db);
    // Another node could store a response for half a minute after its charge; a single node ends it at once.
    await expect.poll(openTasks, { timeout: 90_000 }).toBe(0);
    const ends: string[] = [];
    for (const id of report) {
      const response = await fetch(`${product.url}/v1/responses/${id}`, { headers: headers() });
      ends.push(((await response.json()) as { status: string }).status);
    }
    await product.stop('SIGTERM');
    const counts = Object.fromEntries(
      [...Map.groupBy(ends, (status) => status)].map(([status, all]) => [status, all.length]),
    );
    expect(Object.keys(counts).toSorted()).toEqual(['completed', 'failed']);

    const tasks = await db.writer.selectFrom('task').selectAll().execute();
    const charges = await db.writer
      .selectFrom('ledger_entry')
      .select(['ref', 'user_amount'])
      .where('kind', '=', 'charge')
      .execute();
    expect(report.filter((id) => tasks.every((task) => task.id !== id))).toEqual([]);
    for (const task of tasks) {
      const charged = charges.filter(({ ref }) => ref === task.request_id).map(({ user_amount }) => -user_amount);
      expect(task.ended_at).not.toBeNull();
      // The part of a stream that was delivered before the kill is charged by its checkpoint.
      expect(charged).toEqual(task.charge === 0 ? [] : [task.charge]);
      if (task.status === 'succeeded') expect(task.charge).toBeGreaterThan(0);
    }
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    reportMeasurement(
      'P1',
      `${KILLS} × kill -9 during ${tasks.length} responses in the background: ${counts['completed']} completed, ${counts['failed']} failed with a reason, each charged at most once`,
    );
  },
  TIMEOUT_MS,
);
