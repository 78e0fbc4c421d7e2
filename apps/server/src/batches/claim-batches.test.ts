/** Batches of two nodes on one database, which share the folder of their files. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { batchClient, jsonl, requestLines } from '../testing/batch-client.ts';
import { type Nodes, startNodes } from '../testing/start-nodes.ts';

const SLOW = 'scripted+slow-first-byte-400';
const LINES = 24;
/** At once; as many may be on their way when a node is gone. */
const LANES = 4;
const FOLDER = 'batch-files';

let folder: string;
let dataDirs: Record<'first' | 'second', string>;
let nodes: Nodes | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-nodes-'));
  dataDirs = { first: join(folder, 'first'), second: join(folder, 'second') };
  mkdirSync(join(folder, FOLDER));
  for (const dataDir of Object.values(dataDirs)) {
    mkdirSync(dataDir);
    symlinkSync(join(folder, FOLDER), join(dataDir, FOLDER));
  }
  nodes = await startNodes({}, Object.values(dataDirs));
  await nodes?.first.newChannel({});
});
beforeEach((context) => {
  if (nodes === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  await nodes?.close();
  rmSync(folder, { recursive: true, force: true });
});

function both(): Nodes {
  if (nodes === undefined) throw new Error('There is no PostgreSQL on this machine');
  return nodes;
}

/** How often each line was asked. */
const timesAsked = () =>
  Object.values(
    Object.groupBy(both().first.upstream.requests, ({ body }) => /"content":"(\d+)"/.exec(body)?.[1] ?? ''),
  ).map((asked) => asked?.length);
test('each line is asked once, whichever node was given the batch', async () => {
  const { first, second } = both();
  const mine = batchClient(second.url, first.key);
  const made = await mine.submit(jsonl(requestLines(LINES, 'scripted-model')));
  const batch = await batchClient(first.url, first.key).ended(made.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: LINES, completed: LINES } });
  expect(timesAsked()).toEqual(Array.from({ length: LINES }, () => 1));
  expect(await mine.linesIn(batch.output_file_id)).toHaveLength(LINES);
});

test('when a node is cut off from the database another goes on, and asks no line again that is answered', async () => {
  const { first, second } = both();
  const { upstream } = first;
  // The second cannot read what it does not find, so that the first runs it.
  unlinkSync(join(dataDirs.second, FOLDER));
  upstream.requests.length = 0;
  const earlier = new Set((await first.records()).map(({ request_id }) => request_id));
  const made = await batchClient(first.url, first.key).submit(jsonl(requestLines(LINES, SLOW)));
  await expect.poll(() => upstream.requests.length).toBeGreaterThan(4);
  symlinkSync(join(folder, FOLDER), join(dataDirs.second, FOLDER));
  const { engine } = first.ctx.db;
  if (engine.kind !== 'postgres') throw new Error('This is about PostgreSQL');
  const gone = () => Promise.reject(Object.assign(new Error('no way there'), { code: 'ECONNREFUSED' }));
  vi.spyOn(engine.pool, 'connect').mockImplementation(gone);
  vi.spyOn(engine.pool, 'query').mockImplementation(gone);
  const { writer } = first.ctx.db;
  for (const way of ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'transaction'] as const)
    vi.spyOn(writer, way).mockImplementation(() => {
      throw Object.assign(new Error('no way there'), { code: 'ECONNREFUSED' });
    });
  const mine = batchClient(second.url, first.key);
  const state = () => mine.openai.batches.retrieve(made.id);
  await vi.waitFor(async () => expect((await state()).status).toBe('completed'), {
    timeout: 70_000,
    interval: 500,
  });
  vi.restoreAllMocks();
  const holds = () => second.ctx.db.writer.selectFrom('hold').select('request_id').execute();
  await vi.waitFor(async () => expect(await holds()).toEqual([]), { timeout: 40_000, interval: 500 });
  expect(await state()).toMatchObject({ request_counts: { total: LINES, completed: LINES } });
  // Beside each line those whose answers were on their way.
  expect(upstream.requests.length).toBeLessThanOrEqual(LINES + LANES);
  const charged = (await first.records()).filter(
    ({ type, request_id }) => type === 'consume' && !earlier.has(request_id),
  );
  expect(charged).toHaveLength(LINES);
}, 120_000);

test('a batch ends that is cancelled on one node, whichever runs it', async () => {
  const { first, second } = both();
  const made = await batchClient(first.url, first.key).submit(jsonl(requestLines(LINES, SLOW)));
  await expect
    .poll(async () => (await batchClient(first.url, first.key).openai.batches.retrieve(made.id)).status)
    .toBe('in_progress');
  await batchClient(second.url, first.key).openai.batches.cancel(made.id);
  const batch = await batchClient(second.url, first.key).ended(made.id);
  expect(batch.status).toBe('cancelled');
  expect(batch.request_counts?.completed).toBeLessThan(LINES);
});
