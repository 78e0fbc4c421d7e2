/**
 * `kill -9` while batches run. Each line has one response in its batch's files and is charged at most once, however
 * often the server was killed; after all batches have ended, no hold is left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import {
  type BatchClient,
  buildRequestLine,
  createBatchClient,
  type ResultLine,
  toJsonl,
} from '../../apps/server/src/testing/batch-client.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const BATCHES = 2;
const LINES = pick(120, 400, 5_000);
const KILLS = pick(2, 6, 40);
const MODEL = 'scripted+slow-first-byte-5';
const TIMEOUT_MS = pick(240_000, 240_000, 3_600_000);

let upstream: ScriptedUpstream;
let folder: ProductFolder;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-batches-kill-')));
  const product = await startProduct(folder);
  const setUp = await setUpProduct(product, folder, upstream.url, ['scripted*']);
  ({ key } = setUp);
  await setUp.root.api(settings).updateMany({ body: [{ key: 'BatchRequestsPerUser', value: '8' }] });
  await product.stop('SIGTERM');
});

afterAll(async () => {
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Each line asks with a name that is unique in the test. */
const linesOf = (batch: number): string =>
  toJsonl(Array.from({ length: LINES }, (_, nth) => buildRequestLine(`line-${batch}-${nth}`, { model: MODEL })));

async function answersOf({ waitUntilEnded, readLines }: BatchClient, id: string): Promise<ResultLine[]> {
  const batch = await waitUntilEnded(id);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: LINES, completed: LINES, failed: 0 },
    error_file_id: null,
  });
  return readLines(batch.output_file_id);
}

/** Responses by the name of their line. */
function askedLines(): Map<string, number> {
  const names = upstream.requests.map(({ body }) => /line-\d+-\d+/.exec(body)?.[0] ?? '');
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

test(
  `${KILLS} kills during ${BATCHES} batches of ${LINES} lines: each line has one response and one charge`,
  async () => {
    const ids: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const product = await startProduct(folder);
      const client = createBatchClient(product.url, key);
      while (ids.length < BATCHES) ids.push((await client.submit(linesOf(ids.length))).id);
      const before = upstream.requests.length;
      const killAfter = 20 + momentOf(round) * ((BATCHES * LINES) / KILLS / 2);
      await expect.poll(() => upstream.requests.length - before, { interval: 1 }).toBeGreaterThanOrEqual(killAfter);
      await product.stop('SIGKILL');
    }
    const unanswered = BATCHES * LINES - (await answeredSoFar());
    const product = await startProduct(folder);
    const client = createBatchClient(product.url, key);
    const answers = (await Promise.all(ids.map((id) => answersOf(client, id)))).flat();
    const db = await openProductDatabase(folder.dataDir);
    await waitUntilNoHolds(db);
    await product.stop('SIGTERM');

    const names = ids.flatMap((_, batch) => Array.from({ length: LINES }, (_line, nth) => `line-${batch}-${nth}`));
    expect(answers.map(({ custom_id }) => custom_id).toSorted()).toEqual(names.toSorted());
    expect(answers.every(({ response }) => response?.status_code === 200)).toBe(true);

    const charges = await db.writer
      .selectFrom('usage_record')
      .select(['request_id', 'quota'])
      .where('type', '=', 'consume')
      .where('quota', '>', 0)
      .execute();
    expect(charges.length).toBe(names.length);
    expect(new Set(charges.map(({ request_id }) => request_id)).size).toBe(names.length);
    const left = await db.writer.selectFrom('batch_line').selectAll().execute();
    expect(left).toEqual([]);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    await db.close();
    const twice = [...askedLines().values()].filter((times) => times > 1).length;
    expect(unanswered).toBeGreaterThan(0);
    expect(twice).toBeGreaterThan(0);
    reportMeasurement(
      'P1',
      `${KILLS} × kill -9 during ${BATCHES} batches of ${LINES} lines: each line answered once and charged once; ${twice} were asked again`,
    );
  },
  TIMEOUT_MS,
);

async function answeredSoFar(): Promise<number> {
  const db = await openProductDatabase(folder.dataDir);
  const rows = await db.writer.selectFrom('batch').select('completed').execute();
  await db.close();
  return rows.reduce((sum, { completed }) => sum + completed, 0);
}
