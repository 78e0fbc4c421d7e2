/** Batches of two nodes on one database, which share the folder of their files. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sleep, systemTimers } from '../platform/clock.ts';
import { type BatchClient, buildRequestLines, createBatchClient, toJsonl } from '../testing/batch-client.ts';
import { type Nodes, startNodes } from '../testing/start-nodes.ts';
import { createTestClock } from '../testing/test-clock.ts';

const SLOW = 'scripted+slow-first-byte-200';
/** Some 90 seconds by the clocks that `step` moves: less than a request may take. */
const STUBBORN = 'scripted+slow-first-byte-900';
const LINES = 24;
/** Concurrent lines; as many may be running when a node is gone. */
const LANES = 4;
const FOLDER = 'batch-files';

/** The clock of both nodes' machines. */
const machine = createTestClock(undefined);
/** The number of the node that is cut off from the database; 0: none. */
let cutOff = 0;
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
  nodes = await startNodes({ machine }, Object.values(dataDirs));
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

/** Advances a second on both nodes, and waits for their database queries. */
async function step(): Promise<void> {
  const { first, second } = both();
  for (const clock of [machine, first.clock, second.clock]) clock.advance(1);
  // A living node renews its lease by the database's clock, which does not advance in these steps.
  await second.ctx.db.writer
    .updateTable('node')
    .set((eb) => ({ lease_until: eb('lease_until', '+', 1) }))
    .where('id', '!=', cutOff)
    .where('lease_until', '>', 0)
    .execute();
  await sleep(systemTimers, 10);
}
const clientOf = (node: { url: string }): BatchClient => createBatchClient(node.url, both().first.key, step);

/** How often each line was asked. */
const timesAsked = () =>
  Object.values(
    Object.groupBy(both().first.upstream.requests, ({ body }) => /"content":"(\d+)"/.exec(body)?.[1] ?? ''),
  ).map((asked) => asked?.length);
test('each line is asked once, whichever node was given the batch', async () => {
  const { first, second } = both();
  const mine = clientOf(second);
  const submitted = await mine.submit(toJsonl(buildRequestLines(LINES, 'scripted-model')));
  const batch = await clientOf(first).waitUntilEnded(submitted.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: LINES, completed: LINES } });
  expect(timesAsked()).toEqual(Array.from({ length: LINES }, () => 1));
  expect(await mine.readLines(batch.output_file_id)).toHaveLength(LINES);
});

test('when a node is cut off from the database another continues, and repeats no line with a response', async () => {
  const { first, second } = both();
  const { upstream } = first;
  // The second node cannot claim the batch, so that the first runs it.
  unlinkSync(join(dataDirs.second, FOLDER));
  upstream.requests.length = 0;
  const earlier = new Set((await first.records()).map(({ request_id }) => request_id));
  const submitted = await clientOf(first).submit(toJsonl(buildRequestLines(LINES, SLOW)));
  while (upstream.requests.length <= 4) await step();
  symlinkSync(join(folder, FOLDER), join(dataDirs.second, FOLDER));
  const { id } = await second.ctx.db.writer
    .selectFrom('node')
    .select((eb) => eb.fn.min('id').as('id'))
    .executeTakeFirstOrThrow();
  cutOff = id;
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
  const mine = clientOf(second);
  const state = () => mine.openai.batches.retrieve(submitted.id);
  // The lease ends by the first node's own stopwatch, and then by the database's clock.
  for (let second = 0; second < 15; second += 1) await step();
  await second.ctx.db.writer.updateTable('lease').set({ held_until: 0 }).execute();
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ status: 'completed' });
  vi.restoreAllMocks();
  cutOff = 0;
  const holds = () => second.ctx.db.writer.selectFrom('hold').select('request_id').execute();
  while ((await holds()).length > 0) await step();
  expect(await state()).toMatchObject({ request_counts: { total: LINES, completed: LINES } });
  // Beside each line those whose answers were on their way.
  expect(upstream.requests.length).toBeLessThanOrEqual(LINES + LANES);
  const charged = (await first.records()).filter(
    ({ type, request_id }) => type === 'consume' && !earlier.has(request_id),
  );
  expect(charged).toHaveLength(LINES);
});

test('a line that a node still runs after it has lost the batch is asked once and charged once', async () => {
  const { first, second } = both();
  const { upstream } = first;
  unlinkSync(join(dataDirs.second, FOLDER));
  upstream.requests.length = 0;
  const earlier = new Set((await first.records()).map(({ request_id }) => request_id));
  const submitted = await clientOf(first).submit(toJsonl(buildRequestLines(LANES, STUBBORN)));
  while (upstream.requests.length < LANES) await step();
  symlinkSync(join(folder, FOLDER), join(dataDirs.second, FOLDER));
  unlinkSync(join(dataDirs.first, FOLDER));
  // The node itself is alive, and its holds remain.
  const leases = second.ctx.db.writer.updateTable('lease').set({ held_until: 0, holder: 'nobody' });
  await leases.where('name', 'like', 'batches:%').execute();
  const batch = await clientOf(second).waitUntilEnded(submitted.id);
  symlinkSync(join(folder, FOLDER), join(dataDirs.first, FOLDER));
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: LANES, completed: LANES } });
  expect(upstream.requests).toHaveLength(LANES);
  const charged = (await first.records()).filter(
    ({ type, request_id }) => type === 'consume' && !earlier.has(request_id),
  );
  expect(charged).toHaveLength(LANES);
});

test('a batch ends that is cancelled on one node, whichever runs it', async () => {
  const { first, second } = both();
  const submitted = await clientOf(first).submit(toJsonl(buildRequestLines(LINES, SLOW)));
  while ((await clientOf(first).openai.batches.retrieve(submitted.id)).status !== 'in_progress') await step();
  await clientOf(second).openai.batches.cancel(submitted.id);
  const batch = await clientOf(second).waitUntilEnded(submitted.id);
  expect(batch.status).toBe('cancelled');
  expect(batch.request_counts?.completed).toBeLessThan(LINES);
});
