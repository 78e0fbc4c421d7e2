/**
 * `kill -9` while videos are generated. Each accepted task is charged once if it succeeds, and not at all if it fails;
 * and after all tasks have ended, no hold is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { startVideoVendor, type VideoVendor } from '../scripted-tasks/scripted-videos.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const TASKS = pick(90, 500, 5_000);
const KILLS = pick(3, 6, 30);
const SECONDS = 4;
const POINTS_PER_SECOND = 1_000;
const NANO_POINTS = 1_000_000_000;
const OPENAI = 1;
const TIMEOUT_MS = 240_000;

let vendor: VideoVendor;
let folder: ProductFolder;
let key: string;
let db: Database;

beforeAll(async () => {
  vendor = await startVideoVendor('upstream-key');
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-tasks-kill-')));
  const product = await startProduct(folder);
  const { root, key: made } = await setUpProduct(product, folder, vendor.url, ['scripted*']);
  key = made;
  const { group } = await root.api(profile).get();
  await root
    .api(channels)
    .create({
      body: createChannel.parse({
        name: 'films',
        type: OPENAI,
        base_url: vendor.url,
        key: 'upstream-key',
        models: ['sora-2'],
        group: [group],
      }),
    });
  await root
    .api(prices)
    .update({
      params: { model: 'sora-2' },
      body: savePrice.parse({
        model: 'sora-2',
        rates: { input: 0, output: 0, second: POINTS_PER_SECOND * NANO_POINTS },
      }),
    });
  await root.api(settings).updateMany({ body: [{ key: 'OpenTasksPerUser', value: '0' }] });
  await product.stop('SIGTERM');
  db = await openProductDatabase(folder.dataDir);
});

afterAll(async () => {
  await db.close();
  await vendor.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Every third task fails; the others have succeeded at the second poll. */
function makeFilms(): void {
  let nth = 0;
  for (const video of vendor.videos.values()) {
    nth += 1;
    if (video.status === 'queued') video.status = 'in_progress';
    else if (video.status === 'in_progress') {
      video.status = nth % 3 === 0 ? 'failed' : 'completed';
      if (video.status === 'failed') video.error = { code: 'x', message: 'made on purpose' };
    }
  }
}

/** @returns the received ids */
async function order(url: string, count: number): Promise<string[]> {
  const report: string[] = [];
  const one = async (): Promise<void> => {
    const response = await fetch(`${url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a film', seconds: String(SECONDS) }),
    });
    if (response.status === 200) report.push(((await response.json()) as { id: string }).id);
  };
  const lanes = Array.from({ length: 10 }, async () => {
    for (let nth = 0; nth < count / 10; nth += 1) await one();
  });
  await Promise.allSettled(lanes);
  return report;
}

async function openTasks(): Promise<number> {
  const rows = await db.writer.selectFrom('task').select('id').where('ended_at', 'is', null).execute();
  return rows.length;
}

/** Waits until the vendor has accepted so many more tasks. */
async function untilOrdered(more: number): Promise<void> {
  const enough = vendor.videos.size + more;
  await expect.poll(() => vendor.videos.size, { interval: 1 }).toBeGreaterThanOrEqual(enough);
}

/** Submits videos until no more than the given number of tasks is open. */
async function untilOpen(most: number): Promise<void> {
  await expect
    .poll(
      () => {
        makeFilms();
        return openTasks();
      },
      { timeout: 120_000, interval: 20 },
    )
    .toBeLessThanOrEqual(most);
}

test(
  `${KILLS} kills during ${TASKS} tasks: each is charged once or refunded once`,
  async () => {
    const report: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const product = await startProduct(folder);
      const count = Math.ceil(TASKS / KILLS);
      const ordering = order(product.url, count);
      // The first kills hit submissions, the later ones the ends of tasks.
      if (round < KILLS / 3) await untilOrdered(count * (0.2 + 0.6 * momentOf(round)));
      else {
        await ordering;
        await untilOpen((await openTasks()) * (0.1 + 0.8 * momentOf(round)));
      }
      await product.stop('SIGKILL');
      report.push(...(await ordering));
    }
    const product = await startProduct(folder);
    report.push(...(await order(product.url, Math.max(0, TASKS - report.length))));
    await untilOpen(0);
    await waitUntilNoHolds(db);
    await product.stop('SIGTERM');

    const tasks = await db.writer.selectFrom('task').selectAll().execute();
    const charges = await db.writer
      .selectFrom('ledger_entry')
      .select(['ref', 'user_amount'])
      .where('kind', '=', 'charge')
      .execute();
    const records = await db.writer.selectFrom('usage_record').select(['request_id', 'type']).execute();
    const held = await db.writer.selectFrom('user_account').select('held').where('held', '!=', 0).execute();
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    expect(tasks.length).toBeGreaterThanOrEqual(TASKS);
    expect(report.filter((id) => tasks.every((task) => task.id !== id))).toEqual([]);
    for (const task of tasks) {
      const charged = charges.filter(({ ref }) => ref === task.request_id).map(({ user_amount }) => -user_amount);
      const written = records.filter(({ request_id }) => request_id === task.request_id).map(({ type }) => type);
      const isThere = vendor.videos.get(task.upstream_id)?.status === 'completed';
      expect([task.status, charged, written]).toEqual(
        isThere ? ['succeeded', [SECONDS * POINTS_PER_SECOND], ['consume']] : ['failed', [], ['error']],
      );
    }
    expect(charges.length).toBe(tasks.filter(({ status }) => status === 'succeeded').length);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect(held).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    const lost = vendor.videos.size - tasks.length;
    reportMeasurement(
      'P1',
      `${KILLS} × kill -9 during ${tasks.length} tasks: each charged once or given back once; ${lost} orders that a vendor had taken when the process died were not charged`,
    );
  },
  TIMEOUT_MS,
);
