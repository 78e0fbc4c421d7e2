/**
 * `kill -9` while a batch is prepared for its vendor, while it waits there, and while its responses are charged. It is
 * submitted once, each line is charged once, and after its end no hold is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { verifyLedger, verifyReceipts } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { buildRequestLines, createBatchClient, toJsonl } from '../../apps/server/src/testing/batch-client.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { type BatchVendor, startBatchVendor } from '../scripted-tasks/scripted-batches.ts';
import { openProductDatabase } from '../test-database.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const LINES = pick(400, 1_000, 20_000);
/** Kills in each of the three phases. */
const KILLS = pick(1, 4, 20);
const OPENAI = 1;
const MODEL = 'gpt-batch';
/** Includes the lease of the killed node. */
const GOES_ON_MS = 60_000;
const TIMEOUT_MS = pick(600_000, 600_000, 3_600_000);

let vendor: BatchVendor;
let folder: ProductFolder;
let key: string;
let db: Database;

beforeAll(async () => {
  vendor = await startBatchVendor();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-vendor-batches-kill-')));
  const product = await startProduct(folder);
  const { root, key: made } = await setUpProduct(product, folder, vendor.url, ['scripted*']);
  key = made;
  const { group } = await root.api(profile).get();
  const channel = { name: 'batches', type: OPENAI, base_url: vendor.url, key: 'sk-upstream' };
  await root.api(channels).create({ body: createChannel.parse({ ...channel, models: [MODEL], group: [group] }) });
  await root.api(settings).updateMany({ body: [{ key: 'BatchRequestsPerUser', value: '8' }] });
  await product.stop('SIGTERM');
  db = await openProductDatabase(folder.dataDir);
});

afterAll(async () => {
  await vendor.close();
  await db.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Lines of the batch by their stored state. */
async function lines(): Promise<{ prepared: number; answered: number }> {
  const { prepared } = await db.writer
    .selectFrom('hold')
    .select((eb) => eb.fn.countAll<number>().as('prepared'))
    .executeTakeFirstOrThrow();
  const rows = await db.writer.selectFrom('batch').select('completed').execute();
  return { prepared, answered: rows[0]?.completed ?? 0 };
}

/** Kills repeatedly, each time a step later. @param isAt whether a share of the work is done */
async function killAt(isAt: (share: number) => Promise<boolean>): Promise<void> {
  for (let round = 1; round <= KILLS; round += 1) {
    const product = await startProduct(folder);
    const deadline = Date.now() + GOES_ON_MS;
    while (!(await isAt(round / (KILLS + 1)))) {
      if (Date.now() > deadline) throw new Error('nothing goes on');
      await sleep(systemTimers, 5);
    }
    await product.stop('SIGKILL');
  }
}

test(
  `${KILLS} kills while a batch of ${LINES} lines is prepared, as many while it waits, and while it is charged`,
  async () => {
    const first = await startProduct(folder);
    const { id } = await createBatchClient(first.url, key).submit(toJsonl(buildRequestLines(LINES, MODEL)));
    await first.stop('SIGKILL');
    await killAt(async (share) => (await lines()).prepared >= share * LINES);
    expect(vendor.batches.size).toBe(0);
    await killAt(async () => vendor.batches.size > 0);
    const batch = vendor.getOnlyBatch();
    expect(vendor.readLines(batch)).toHaveLength(LINES);
    expect(await lines()).toEqual({ prepared: LINES, answered: 0 });
    vendor.complete(batch);
    await killAt(async (share) => (await lines()).answered >= share * LINES);
    expect((await lines()).answered).toBeLessThan(LINES);

    const last = await startProduct(folder);
    const client = createBatchClient(last.url, key);
    const ended = await client.waitUntilEnded(id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: LINES, failed: 0 } });
    expect(await client.readLines(ended.output_file_id)).toHaveLength(LINES);
    await waitUntilNoHolds(db);
    await last.stop('SIGTERM');

    expect(vendor.getOnlyBatch()).toBe(batch);
    expect(vendor.singleRequests).toEqual([]);
    const charges = await db.writer
      .selectFrom('usage_record')
      .select(['request_id', 'quota'])
      .where('type', '=', 'consume')
      .execute();
    expect(charges).toHaveLength(LINES);
    expect(new Set(charges.map(({ request_id }) => request_id)).size).toBe(LINES);
    expect(new Set(charges.map(({ quota }) => quota)).size).toBe(1);
    expect(charges[0]?.quota).toBeGreaterThan(0);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    expect((await verifyReceipts(db.writer)).problems).toEqual([]);
    reportMeasurement(
      'P1',
      `${3 * KILLS + 1} × kill -9 while a batch of ${LINES} lines was prepared for its vendor, waited there, and was charged: ordered once, each line charged once`,
    );
  },
  TIMEOUT_MS,
);
