import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { verifyLedger } from '../ledger/ledger.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { endTask } from './task-end.ts';
import type { TaskTerms } from './task-final-charge.ts';
import type { TaskRow } from './task-store.ts';

const OPENAI = 1;
const NANO = 1_000_000_000;
const POINTS_PER_SECOND = 1_000;
const SECONDS = 4;
const ORDERED = SECONDS * POINTS_PER_SECOND;
const RUNS = 40;

let scene: RelayScene;
let vendor: VideoVendor;
/** A task that its vendor has accepted. */
let ordered: TaskRow;
let nth = 0;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: OPENAI, models: ['film'], base_url: vendor.url, key: 'sk-upstream' });
  await scene.admin
    .api(prices)
    .create({ body: { model: 'film', rates: rates.parse({ input: 0, output: 0, second: POINTS_PER_SECOND * NANO }) } });
  const answer = await scene.post('/v1/videos', { model: 'film', prompt: 'a cat', seconds: String(SECONDS) });
  expect(answer.status).toBe(200);
  ordered = await scene.ctx.db.writer.selectFrom('task').selectAll().executeTakeFirstOrThrow();
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

/** Another order like it, of a token with as many points as it costs and some more. */
async function order(more = 0): Promise<TaskRow> {
  nth += 1;
  const [id, requestId] = [`video_${nth}`, `request-${nth}`];
  const { ledger } = scene.ctx;
  const apiKeyId = 1_000_000 + nth;
  const userId = scene.user.id;
  await ledger.transaction(async (_trx, moves) => moves.openKeyAccount(apiKeyId, userId, ORDERED + more));
  const hold = { requestId, userId, apiKeyId, limited: true, amount: ORDERED };
  expect(await ledger.hold(hold)).toEqual({ held: true });
  const terms = JSON.parse(ordered.terms) as TaskTerms;
  const record = { ...terms.record, request_id: requestId };
  const task = {
    ...ordered,
    terms: JSON.stringify({ ...terms, record }),
    id,
    request_id: requestId,
    upstream_id: id,
    api_key_id: apiKeyId,
    next_look_at: 2 ** 40,
  };
  await ledger.transaction(async (trx, moves) => {
    await trx.insertInto('task').values(task).execute();
    await moves.keepHold(requestId);
  });
  return task;
}

const successOf = (seconds: number) => ({
  made: { billing: 'paid' as const, usage: { second: seconds } },
  news: JSON.stringify({ works: [{ kind: 'video', at: '/v1/videos/x/content' }], said: { seconds } }),
});
const rowOf = (id: string) =>
  scene.ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

const look = ({ id }: TaskRow, end: Parameters<typeof endTask>[2]) => endTask(scene.ctx, id, end);

const look$ = fc.oneof(
  fc.integer({ min: 1, max: SECONDS }).map(successOf),
  fc.constantFrom('It was blocked.', 'The response was canceled.').map((failure) => ({ failure })),
);

test('any sequential or concurrent polls of one task charge or refund once, consistently with its row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(look$, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      async (rounds) => {
        const before = await available();
        const task = await order();
        for (const round of rounds) await Promise.all(round.map((end) => look(task, end)));
        const row = await rowOf(task.id);
        expect(row.ended_at).not.toBeNull();
        const charged = await scene.ctx.ledger.readCharge(task.request_id);
        expect(row).toMatchObject({ status: charged === undefined ? 'failed' : 'succeeded', charge: charged ?? 0 });
        expect(row.failure === '').toBe(charged !== undefined);
        expect(row.news.includes('"at"')).toBe(charged !== undefined);
        expect(before - (await available())).toBe(charged ?? 0);
        const records = (await scene.records()).filter(({ request_id }) => request_id === task.request_id);
        expect(records).toMatchObject([{ quota: charged ?? 0 }]);
      },
    ),
    { numRuns: RUNS },
  );
  expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
});

/** Charges like a look whose process dies before it writes the row. */
async function chargeAlone({ request_id, terms }: TaskRow): Promise<void> {
  const { record } = JSON.parse(terms) as TaskTerms;
  await scene.ctx.ledger.settleLasting(request_id, record, ORDERED);
}

test('a task that was charged and not noted keeps its works for the next look that finds them', async () => {
  const task = await order();
  await chargeAlone(task);
  await look(task, { failure: 'It was blocked.' });
  expect((await rowOf(task.id)).ended_at).toBeNull();
  await look(task, successOf(SECONDS));
  expect(await rowOf(task.id)).toMatchObject({ status: 'succeeded', charge: ORDERED });
});

test('a charged task without a stored end says so after its deadline, whatever the vendor reports then', async () => {
  const task = await order();
  await chargeAlone(task);
  await scene.ctx.db.writer.updateTable('task').set({ deadline_at: 0 }).where('id', '=', task.id).execute();
  await look(task, { failure: 'It was blocked.' });
  expect(await rowOf(task.id)).toMatchObject({ status: 'succeeded', charge: ORDERED });
});

test.each([
  ['once', async () => {}],
  ['once, although a poll died after it', chargeAlone],
])('charges a failed task that its vendor bills as submitted, %s', async (_when, begin) => {
  const before = await available();
  const task = await order();
  await begin(task);
  const end = { failure: 'It was blocked.', isBilled: true };
  await Promise.all([look(task, end), look(task, end)]);
  expect(await rowOf(task.id)).toMatchObject({ status: 'failed', failure: 'It was blocked.', charge: ORDERED });
  expect(before - (await available())).toBe(ORDERED);
  const records = (await scene.records()).filter(({ request_id }) => request_id === task.request_id);
  expect(records).toMatchObject([{ quota: ORDERED, type: 'consume' }]);
});

test('a charged failure has its reason beside the receipt', async () => {
  const task = await order();
  await look(task, { failure: 'It was blocked.', isBilled: true });
  const record = (await scene.records()).find(({ request_id }) => request_id === task.request_id);
  expect(record?.content).toBe('It was blocked.');
  expect(JSON.parse(record?.detail ?? '')).toMatchObject({ ending: 'upstream-failed', receipt: expect.anything() });
});

test.each([
  ['as made, where the token covers it', 2, 1, 5],
  ['as ordered, where the token does not', 0, 1, SECONDS],
  ['as ordered, where it covers a part', 1, 3, SECONDS],
  ['as made, where it is shorter', 0, -2, 2],
])('charges a video of another duration %s', async (_how, moreSeconds, longer, charged) => {
  const task = await order(moreSeconds * POINTS_PER_SECOND);
  await look(task, successOf(SECONDS + longer));
  expect((await rowOf(task.id)).charge).toBe(charged * POINTS_PER_SECOND);
  const { total, used } = await scene.ctx.ledger.readBudget(scene.user.id, task.api_key_id ?? 0);
  expect(total - used).toBeGreaterThanOrEqual(0);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])(
  'charges as ordered a task whose vendor reports %s seconds',
  async (seconds) => {
    const task = await order();
    await look(task, successOf(seconds));
    expect(await rowOf(task.id)).toMatchObject({ status: 'succeeded', charge: ORDERED });
  },
);
