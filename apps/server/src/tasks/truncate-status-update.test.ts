/** Tasks of a vendor that answers anything at all: each ends at its deadline, and keeps no other from its end. */

import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SunoVendor, startSunoVendor } from '../../../../tests/scripted-tasks/scripted-suno.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { measureLongestBlock } from '../testing/measure-longest-block.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../testing/relay-scene.ts';
import { setOptions } from '../testing/set-options.ts';

const SUNO = 41;
const NANO = 1_000_000_000;
const PER_SECOND = 100;
/** A song is held for 960 seconds, and charged for ten times as many at most. */
const HELD = 960 * PER_SECOND;
const DEADLINE_SECONDS = 3_600;
const PUBLIC = 'https://gateway.example';
const DEPTH = 100_000;

let scene: RelayScene;
let vendor: SunoVendor;

beforeAll(async () => {
  vendor = await startSunoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: SUNO, models: ['chirp*'], base_url: vendor.url, key: 'suno-key' });
  await removeShippedPrices(scene.admin, ['chirp', 'suno']);
  const second = rates.parse({ input: 0, output: 0, second: PER_SECOND * NANO });
  await scene.admin.api(prices).create({ body: { model: 'chirp*', rates: second } });
  // The words of a response are walked through only where a rule looks for some.
  await scene.admin
    .api(contentSafety)
    .create({
      body: safetyRuleForm.parse({ name: 'List', kind: 'words', words: ['forbidden'], output: true, action: 'mask' }),
    });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => setOptions(scene.ctx, { ResultStorage: 'folder', ServerAddress: PUBLIC }));
afterEach(async () => {
  vendor.resetReplies();
  vendor.tasks.clear();
  await setOptions(scene.ctx, { ResultStorage: 'proxied' });
  await scene.ctx.db.writer.deleteFrom('stored_work').execute();
  await scene.ctx.db.writer.deleteFrom('task').execute();
});

/** @returns the gateway's id of the task and the vendor's */
async function submit(): Promise<{ id: string; theirs: string }> {
  const response = await scene.post('/suno/submit/music', { prompt: 'a cat', mv: 'chirp-v4' });
  expect(response.status).toBe(200);
  return { id: ((await response.json()) as { data: string }).data, theirs: vendor.getLastTask().task_id };
}

const rowOf = (id: string) =>
  scene.ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const available = () => scene.ctx.ledger.readAvailable(scene.user.id);
const nested = (open: string, close: string) => open.repeat(DEPTH) + close.repeat(DEPTH);
const task = (fields: string) => (id: string) => `{"task_id":"${id}",${fields}}`;
const songs = (count: number, fields = '') =>
  `[${Array.from({ length: count }, (_, nth) => `{"audio_url":"${vendor.url}/${nth}.mp3"${fields}}`).join(',')}]`;
const ended = (id: string, seconds?: number) =>
  advanceUntil(
    scene.clock,
    async () => {
      const row = await rowOf(id);
      expect(row.ended_at).not.toBeNull();
      return row;
    },
    seconds,
  );

/** The vendor's status of the task, as JSON. */
const openNews: readonly [what: string, say: (id: string) => string][] = [
  ['is nested deep in lists', task(`"status":"IN_PROGRESS","data":${nested('[', ']')}`)],
  ['is nested deep in objects', task(`"status":"IN_PROGRESS","x":${nested('{"a":', '}').replace('}', '1}')}`)],
  ['is nested deep in a text of JSON', task(`"status":"IN_PROGRESS","data":"${nested('[', ']')}"`)],
  ['is done, nested deep and without a song', task(`"status":"SUCCESS","data":${nested('[', ']')}`)],
  ['has a text of seven megabytes', task(`"status":"IN_PROGRESS","x":"${'x'.repeat(7_000_000)}"`)],
  ['has a million values', task(`"status":"IN_PROGRESS","data":[${'0,'.repeat(1_000_000)}0]`)],
  ['has wrong types', task('"status":{"a":1},"progress":[],"fail_reason":7,"data":{"0":null}')],
  ['has numbers that nobody counts', task('"status":"IN_PROGRESS","progress":-1e999,"data":[1e999]')],
  ['has a number of thousands of digits', task(`"status":"IN_PROGRESS","data":[${'9'.repeat(5_000)}]`)],
  ['has names of prototypes', task('"status":"IN_PROGRESS","__proto__":{"a":1},"constructor":7')],
  ['has an address that is longer than any', task(`"status":"SUCCESS","data":[{"audio_url":"${'x'.repeat(1e6)}"}]`)],
  ['is missing', () => '{}'],
  ['is null', () => 'null'],
];

describe.each(openNews)('an update that %s', (_what, say) => {
  test('ends no task before its deadline, and keeps none open after it', async () => {
    const before = await available();
    const { id, theirs } = await submit();
    const other = await submit();
    const requestCount = vendor.asked.length;
    vendor.overrideReply('POST /suno/fetch', ({ body }) => {
      const { ids } = JSON.parse(body) as { ids: string[] };
      const all = ids.map((one) =>
        one === theirs ? say(one) : `{"task_id":"${one}","status":"SUCCESS","data":${songs(1)}}`,
      );
      return { text: `{"code":"success","data":[${all.join(',')}]}` };
    });
    // It is made by the same vendor, and asked about by the same question.
    expect(await ended(other.id)).toMatchObject({ status: 'succeeded' });
    expect(vendor.asked.length).toBeGreaterThan(requestCount);
    expect((await rowOf(id)).ended_at).toBeNull();
    scene.clock.advance(DEADLINE_SECONDS);
    expect(await ended(id)).toMatchObject({ status: 'failed', charge: 0 });
    expect(before - (await available())).toBe(HELD);
    expect((await rowOf(id)).news.length).toBeLessThan(400_000);
  });
});

const madeNews: readonly [what: string, data: () => string, works: number, charge: number][] = [
  ['5,000 songs', () => songs(5_000), 100, HELD],
  ['40,000 songs', () => songs(40_000), 100, HELD],
  ['songs of endless length', () => songs(2, ',"duration":"Infinity"'), 2, HELD],
  ['songs of no length', () => songs(2, ',"duration":-5'), 2, HELD],
  ['titles of a megabyte', () => songs(3, `,"title":"${'x'.repeat(1e6)}"`), 3, HELD],
  ['lyrics of seven megabytes', () => `{"text":"${'x'.repeat(7e6)}"}`, 1, HELD],
  ['a song and much beside it', () => songs(1, `,"x":${nested('[', ']')}`), 1, HELD],
];

test.each(madeNews)('ends and charges once a task that came to %s', async (_what, data, works, charge) => {
  const before = await available();
  const { id, theirs } = await submit();
  vendor.overrideReply('POST /suno/fetch', () => ({
    text: `{"code":"success","data":[{"task_id":"${theirs}","status":"SUCCESS","data":${data()}}]}`,
  }));
  const row = await ended(id);
  expect(row).toMatchObject({ status: 'succeeded', charge });
  expect(before - (await available())).toBe(charge);
  expect(row.news.length).toBeLessThan(400_000);
  expect((JSON.parse(row.news) as { works: unknown[] }).works).toHaveLength(works);
  const view = await fetch(`${scene.url}/suno/fetch/${id}`, { headers: { authorization: `Bearer ${scene.key}` } });
  expect([view.status, await view.json()]).toMatchObject([200, { data: { status: 'SUCCESS' } }]);
});

test('shows the end of a task whose works cannot be stored', async () => {
  const before = await available();
  const { id } = await submit();
  vendor.completeMusic(480);
  const { db } = scene.ctx;
  await db.writer.schema.alterTable('stored_work').renameTo('stored_work_away').execute();
  try {
    expect(await ended(id)).toMatchObject({ status: 'succeeded', charge: HELD });
  } finally {
    await db.writer.schema.alterTable('stored_work_away').renameTo('stored_work').execute();
  }
  expect(before - (await available())).toBe(HELD);
});

test('keeps the beginning of a failure of megabytes in the log', async () => {
  const { id, theirs } = await submit();
  vendor.overrideReply('POST /suno/fetch', () => ({
    text: `{"code":"success","data":[{"task_id":"${theirs}","status":"FAILURE","fail_reason":"${'x'.repeat(7e6)}"}]}`,
  }));
  expect((await ended(id)).failure).toHaveLength(1_000);
  const { request_id } = await rowOf(id);
  const record = (await scene.records()).find((one) => one.request_id === request_id);
  expect(record?.content).toHaveLength(1_000);
});

test('reads long updates of many tasks one after another, so that others run between them', async () => {
  const ids: string[] = [];
  while (ids.length < 20) ids.push((await submit()).id);
  const data = songs(90, `,"title":"${'la la '.repeat(150)}"`);
  vendor.overrideReply('POST /suno/fetch', ({ body }) => {
    const asked = JSON.parse(body) as { ids: string[] };
    const all = asked.ids.map((one) => `{"task_id":"${one}","status":"IN_PROGRESS","data":${data}}`);
    return { text: `{"code":"success","data":[${all.join(',')}]}` };
  });
  const block = await measureLongestBlock(() =>
    advanceUntil(scene.clock, async () => {
      for (const id of ids) expect((await rowOf(id)).news).toContain('la la');
    }),
  );
  // When all were checked and serialized in one turn, it took 280 ms.
  expect(block).toBeLessThan(100);
});
