import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  IMAGE_BYTES,
  type MidjourneyVendor,
  startMidjourneyVendor,
} from '../../../../../tests/scripted-tasks/scripted-midjourney.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';

const NANO = 1_000_000_000;
const MIDJOURNEY = 34;
const POINTS = { mj_imagine: 50_000, mj_turbo_imagine: 100_000, mj_upscale: 10_000, mj_modal: 40_000, mj_zoom: 40_000 };

let scene: RelayScene;
let vendor: MidjourneyVendor;

beforeAll(async () => {
  vendor = await startMidjourneyVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: MIDJOURNEY, models: ['mj_*'], base_url: vendor.url, key: 'mj-secret' });
  await removeShippedPrices(scene.admin, ['mj_']);
  const priced = Object.entries({ 'mj_*': 30_000, ...POINTS });
  for (const [model, points] of priced)
    await scene.admin
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ input: points * NANO, output: 0 }) } });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
let recordsBefore = 0;
beforeEach(async () => {
  recordsBefore = (await scene.records()).length;
  vendor.setRemixMode(false);
  vendor.delayModalStatus(() => Promise.resolve('told'));
  vendor.tasks.clear();
  vendor.submissions.length = 0;
  vendor.pollSizes.length = 0;
  vendor.setRefusal(undefined);
});

interface Drawing {
  id: string;
  status: string;
  progress: string;
  imageUrl: string;
  failReason: string;
  buttons: { customId: string }[];
}

const call = (path: string, body?: unknown, key = scene.key) =>
  fetch(scene.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'mj-api-secret': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function submit(body: Record<string, unknown>, path = '/mj/submit/imagine', key = scene.key): Promise<string> {
  const response = await call(path, body, key);
  const answer = (await response.json()) as { code: number; result: string };
  expect([response.status, answer.code]).toEqual([200, 1]);
  return answer.result;
}

const fetched = async (id: string, key = scene.key) =>
  (await (await call(`/mj/task/${id}/fetch`, undefined, key)).json()) as Drawing;

async function until(id: string, status: string, key = scene.key): Promise<Drawing> {
  return advanceUntil(scene.clock, async () => {
    const drawing = await fetched(id, key);
    expect(drawing.status).toBe(status);
    return drawing;
  });
}

async function drawn(
  body: Record<string, unknown> = { prompt: 'a cat' },
  path?: string,
  key = scene.key,
): Promise<string> {
  const id = await submit(body, path, key);
  vendor.completeTask();
  await until(id, 'SUCCESS', key);
  return id;
}

async function drawnByItself(window: string): Promise<void> {
  vendor.completeTask();
  expect((await until(window, 'SUCCESS')).imageUrl).toContain(window);
}

const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

test('an image is held, polled, charged when it is complete, and shown under the gateway’s own address', async () => {
  const before = await available();
  const id = await submit({ prompt: '一只猫', state: 'mine', botType: 'MID_JOURNEY' });
  expect(before - (await available())).toBe(POINTS.mj_imagine);
  Object.assign(vendor.getOnlyTask(), { status: 'IN_PROGRESS', progress: '37%' });
  expect(await until(id, 'IN_PROGRESS')).toMatchObject({ progress: '37%', imageUrl: '' });
  vendor.completeTask();
  const done = await until(id, 'SUCCESS');
  expect(done).toMatchObject({
    id,
    action: 'IMAGINE',
    prompt: '一只猫',
    promptEn: 'in English',
    progress: '100%',
    state: 'mine',
    properties: { finalPrompt: 'as it was drawn' },
  });
  expect(JSON.stringify(done)).not.toContain(vendor.url);
  expect(before - (await available())).toBe(POINTS.mj_imagine);
  // The image is public for everyone who knows its id, like in a page.
  const picture = await fetch(scene.url + new URL(done.imageUrl, scene.url).pathname);
  expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/png', IMAGE_BYTES]);
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_imagine', quota: POINTS.mj_imagine });
});

test.each([
  ['/mj-turbo/mj', 'mj_turbo_imagine', 'TURBO'],
  ['/mj-relax/mj', 'mj_relax_imagine', 'RELAX'],
  ['/mj-fast/mj', 'mj_imagine', 'FAST'],
])('below %s the price is that of %s, regardless of the prompt', async (root, model, mode) => {
  const id = await submit(
    { prompt: 'a cat --turbo --relax —fast --ar 1:1', accountFilter: { modes: ['TURBO'] }, notifyHook: 'http://x' },
    `${root}/submit/imagine`,
  );
  expect(vendor.submissions[0]).toEqual({
    path: '/mj/submit/imagine',
    body: { prompt: expect.stringMatching(/^a cat\s+--ar 1:1$/) as string, accountFilter: { modes: [mode] } },
  });
  vendor.completeTask();
  await until(id, 'SUCCESS');
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({ model });
});

test('a button goes to the proxy of its image, with the proxy’s id of the image, in its mode', async () => {
  const origin = await drawn({ prompt: 'a cat' }, '/mj-turbo/mj/submit/imagine');
  const { id: theirs } = vendor.getOnlyTask();
  const [button] = (await fetched(origin)).buttons;
  const id = await submit({ taskId: origin, customId: button?.customId }, '/mj/submit/action');
  // The button contains the proxy's id of the task, too.
  expect(button?.customId).toBe(`MJ::JOB::upsample::1::${origin}`);
  const customId = `MJ::JOB::upsample::1::${theirs}`;
  expect(vendor.submissions.at(-1)).toEqual({
    path: '/mj/submit/action',
    body: { taskId: theirs, customId, accountFilter: { modes: ['TURBO'] } },
  });
  vendor.completeTask();
  expect(await until(id, 'SUCCESS')).toMatchObject({ action: 'UPSCALE' });
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_turbo_upscale' });
});

test('an image can be changed on a channel that offers nothing but images', async () => {
  await scene.admin.api(userGroups).create({ body: { symbol: 'drawing', name: 'Drawing', public: true } });
  const group = ['drawing'];
  await scene.newChannel({ type: MIDJOURNEY, models: ['mj_imagine'], group, base_url: vendor.url, key: 'mj-secret' });
  const key = await scene.newKey({ unlimited_quota: true, group: 'drawing' });
  const origin = await drawn(undefined, undefined, key);
  await submit({ content: `${origin} U2` }, '/mj/submit/simple-change', key);
  vendor.completeTask();
  const refused = await call('/mj/submit/describe', { base64: 'data:image/png;base64,AAAA' }, key);
  expect(await refused.text()).toContain('does not exist');
});

test('a simple change names image and action in one line', async () => {
  const origin = await drawn();
  const { id: theirs } = vendor.getOnlyTask();
  await submit({ content: `${origin} U2` }, '/mj/submit/simple-change');
  expect(vendor.submissions.at(-1)?.body['content']).toBe(`${theirs} U2`);
  const before = await scene.records();
  vendor.completeTask();
  await advanceUntil(scene.clock, async () => expect((await scene.records()).length).toBe(before.length + 1));
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_upscale', quota: POINTS.mj_upscale });
});

/** Opens a modal task for a new image by this button. */
const opened = async (button = 'MJ::CustomZoom::x') =>
  submit({ taskId: await drawn(), customId: button }, '/mj/submit/action');

/** Model and points of each call of this test. */
const points = async () => (await scene.records()).slice(recordsBefore).map(({ model, quota }) => [model, quota]);

describe('a modal task', () => {
  test('holds the cost of a modal task’s answer, so that its artifacts are always paid for', async () => {
    const before = await available();
    const window = await opened();
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
    expect(await until(window, 'MODAL')).toMatchObject({ action: 'CUSTOM_ZOOM' });
    const poor = await scene.createUser('user', { quota: POINTS.mj_imagine + POINTS.mj_modal - 1 });
    const key = await scene.newKey({ unlimited_quota: true }, poor);
    const origin = await drawn({ prompt: 'a cat' }, undefined, key);
    const response = await call('/mj/submit/action', { taskId: origin, customId: 'MJ::Inpaint::1' }, key);
    expect(response.status).toBe(402);
  });

  test('charges a modal task like its answer when its artifacts arrive and no answer is known', async () => {
    const window = await opened();
    const before = await available();
    await drawnByItself(window);
    expect(await available()).toBe(before);
    expect(await points()).toEqual([
      ['mj_imagine', POINTS.mj_imagine],
      ['mj_modal', POINTS.mj_modal],
    ]);
  });

  test('charges nothing for a modal task without artifacts, whether it is closed or ends', async () => {
    const window = await opened();
    const held = await available();
    Object.assign(vendor.getLastTask(), { status: 'SUCCESS', progress: '100%' });
    await until(window, 'SUCCESS');
    expect((await available()) - held).toBe(POINTS.mj_modal);
    const closed = await opened();
    Object.assign(vendor.getLastTask(), { status: 'CANCEL' });
    await until(closed, 'FAILURE');
    await scene.waitUntilSettled();
    expect((await points()).filter(([model]) => model === 'mj_modal')).toEqual([
      ['mj_modal', 0],
      ['mj_modal', 0],
    ]);
  });

  test.each([
    ['of a button', false, 'MJ::CustomZoom::x'],
    ['of a button that costs something itself, in remix mode', true, 'MJ::JOB::variation::1::x'],
  ])('%s gives its hold back to be answered, and its answer is charged once', async (_, remixes, button) => {
    vendor.setRemixMode(remixes);
    const before = await available();
    const window = await opened(button);
    await until(window, 'MODAL');
    const id = await submit({ taskId: window, prompt: 'a cat --zoom 1.8' }, '/mj/submit/modal');
    expect(id).not.toBe(window);
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
    const { id: theirs } = vendor.getLastTask();
    vendor.completeTask();
    const news = { method: 'POST', body: JSON.stringify({ id: theirs }) };
    await Promise.all(Array.from({ length: 3 }, () => fetch(`${scene.url}/mj/notify`, news)));
    await until(id, 'SUCCESS');
    expect(await fetched(window)).toMatchObject({ status: 'SUCCESS', imageUrl: '' });
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
    expect((await points()).filter(([, quota]) => quota !== 0)).toEqual([
      ['mj_imagine', POINTS.mj_imagine],
      ['mj_modal', POINTS.mj_modal],
    ]);
    await scene.ctx.ledger.transaction(async () => {});
    expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
  });

  test('charges a modal task once when its artifacts arrive before the response to its answer', async () => {
    const before = await available();
    const window = await opened();
    const notified = Promise.withResolvers<'told'>();
    vendor.delayModalStatus(() => notified.promise);
    const answer = submit({ taskId: window, prompt: 'a cat --zoom 1.8' }, '/mj/submit/modal');
    await expect.poll(() => vendor.getLastTask().prompt).toBe('a cat --zoom 1.8');
    await drawnByItself(window);
    notified.resolve('told');
    expect(await answer).toBe(window);
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
    expect(await fetched(window)).toMatchObject({ status: 'SUCCESS' });
  });

  test('charges a modal task once when the proxy takes the answer and its response is lost', async () => {
    const before = await available();
    const window = await opened();
    vendor.delayModalStatus(() => Promise.resolve('lost'));
    const answer = await call('/mj/submit/modal', { taskId: window, prompt: 'a dog' });
    expect(answer.status).toBe(502);
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
    await drawnByItself(window);
    expect(before - (await available())).toBe(POINTS.mj_imagine + POINTS.mj_modal);
  });

  test('answers a modal task once by a key, also at the limit of open tasks', async () => {
    await setOptions(scene.ctx, { OpenTasksPerUser: '1' });
    onTestFinished(() => setOptions(scene.ctx, { OpenTasksPerUser: '100' }));
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, owner);
    const origin = await drawn({ prompt: 'a cat' }, undefined, key);
    const window = { taskId: origin, customId: 'MJ::CustomZoom::x' };
    const taskId = await submit(window, '/mj/submit/action', key);
    const headers = { 'idempotency-key': `answer-${taskId}` };
    const answer = () => scene.post('/mj/submit/modal', { taskId, prompt: 'a dog' }, { key, headers });
    const first = await answer();
    expect(first.status).toBe(200);
    const again = await answer();
    expect(again.headers.get('x-switchyard-idempotent-replay')).toBe('true');
    expect(await again.json()).toEqual(await first.json());
    expect((await call('/mj/submit/imagine', { prompt: 'a cat' }, key)).status).toBe(429);
  });

  test('rejects a modal answer to a task that its proxy doesn’t call modal, without a refund', async () => {
    const before = await available();
    const drawing = await submit({ prompt: 'a cat' }, '/mj-turbo/mj/submit/imagine');
    const answer = await call('/mj/submit/modal', { taskId: drawing, prompt: 'a dog' });
    expect(answer.status).toBe(404);
    expect(before - (await available())).toBe(POINTS.mj_turbo_imagine);
    expect(vendor.submissions).toHaveLength(1);
  });

  test('counts modal tasks in the request limits, like everything that is free', async () => {
    const origin = await drawn();
    const key = await scene.newKey({ unlimited_quota: true, api_rate: 2 });
    const open = (nth: number) =>
      call('/mj/submit/action', { taskId: origin, customId: `MJ::CustomZoom::${nth}` }, key);
    const statuses = [await open(1), await open(2), await open(3)].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

test('a failed image costs nothing and has the reason', async () => {
  const before = await available();
  const id = await submit({ prompt: 'x' });
  Object.assign(vendor.getOnlyTask(), { status: 'FAILURE', failReason: 'Internal error of Discord' });
  expect(await until(id, 'FAILURE')).toMatchObject({ failReason: 'Internal error of Discord' });
  expect(await available()).toBe(before);
});

test.each([
  ['99%', 'FAILURE', 0, 404],
  ['100%', 'SUCCESS', 1, 200],
])(
  'charges a failed drawing whose image was shown at %s only if it was finished',
  async (progress, end, times, status) => {
    const before = await available();
    const id = await submit({ prompt: 'x' });
    vendor.completeTask();
    Object.assign(vendor.getOnlyTask(), { status: 'IN_PROGRESS', progress });
    await advanceUntil(scene.clock, async () => expect((await fetched(id)).imageUrl).toContain(id));
    expect((await call(`/mj/image/${id}`)).status).toBe(200);
    Object.assign(vendor.getOnlyTask(), { status: 'FAILURE', failReason: 'timeout' });
    expect((await until(id, end)).imageUrl === '').toBe(status === 404);
    expect((await call(`/mj/image/${id}`)).status).toBe(status);
    expect((await scene.user.fetch(`/api/task/${id}/work/0`)).status).toBe(status);
    expect(before - (await available())).toBe(times * POINTS.mj_imagine);
  },
);

describe('the file of an image', () => {
  test('has an address of the host that was asked, where the operator has set none', async () => {
    const id = await drawn();
    expect((await fetched(id)).imageUrl).toBe(`${scene.url}/mj/image/${id}`);
  });

  test('waits for a picture that the proxy calls done, and charges nothing without it', async () => {
    const before = await available();
    const late = await submit({ prompt: 'late' });
    Object.assign(vendor.getLastTask(), { status: 'SUCCESS', progress: '100%' });
    const { id: theirs } = vendor.getLastTask();
    const seen = vendor.pollSizes.length;
    await advanceUntil(scene.clock, () => expect(vendor.pollSizes.length).toBeGreaterThan(seen + 1));
    expect(await fetched(late)).toMatchObject({ status: 'SUBMITTED', imageUrl: '', buttons: [] });
    vendor.completeTask(vendor.tasks.get(theirs));
    await until(late, 'SUCCESS');
    expect(before - (await available())).toBe(POINTS.mj_imagine);
  });

  test('charges nothing for a picture that never comes', async () => {
    const before = await available();
    const id = await submit({ prompt: 'never' });
    Object.assign(vendor.getLastTask(), { status: 'SUCCESS', progress: '100%' });
    const ended = async () => {
      const drawing = await fetched(id);
      expect(drawing.status).toBe('FAILURE');
      return drawing;
    };
    expect(await advanceUntil(scene.clock, ended, 300)).toMatchObject({ progress: '', buttons: [] });
    expect(await available()).toBe(before);
  });
});

test.each([
  ['', '100%', '', 'SUCCESS'],
  ['', '40%', 'It was blocked.', 'FAILURE'],
  ['cancelled', '40%', '', 'FAILURE'],
  ['Success', '', '', 'SUCCESS'],
])('an image with the status "%s" at %s and the message "%s" ends as %s', async (status, progress, failReason, end) => {
  const before = await available();
  const id = await submit({ prompt: 'x' });
  vendor.completeTask();
  Object.assign(vendor.getLastTask(), { status, progress, failReason });
  expect(await until(id, end)).toMatchObject({ buttons: end === 'SUCCESS' ? [{}, {}] : [] });
  expect(before - (await available())).toBe(end === 'SUCCESS' ? POINTS.mj_imagine : 0);
});

test('an unknown image is not found, with the proxy’s code, also by the proxy’s id', async () => {
  await submit({ prompt: 'x' });
  const change = { action: 'REROLL', taskId: vendor.getLastTask().id };
  for (const answer of [
    await call(`/mj/task/${vendor.getLastTask().id}/fetch`),
    await call('/mj/submit/change', change),
  ])
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 3 }]);
});

test.each([
  [24, 'The prompt may be sensitive', 400, 24],
  [4, 'The parameters are wrong', 400, 4],
  [3, 'No account is there', 502, 3],
  [9, 'The proxy failed', 502, 5],
  [23, 'The queue is full', 429, 23],
])('charges nothing for a refusal of the proxy with code %i', async (code, description, status, notified) => {
  const before = await available();
  vendor.setRefusal({ code, description });
  const response = await call('/mj/submit/imagine', { prompt: 'x' });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code: notified, description: expect.any(String) as string });
  expect(await available()).toBe(before);
});

test('images for prompts are uploaded at once, and cost nothing', async () => {
  const before = await available();
  const base64Array = ['data:image/png;base64,iVBORw0KGgo='];
  const response = await call('/mj-turbo/mj/submit/upload-discord-images', {
    base64Array,
    accountFilter: { modes: ['RELAX'] },
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    { code: 1, description: 'success', result: [`${vendor.url}/picture.png`] },
  ]);
  expect(vendor.submissions).toEqual([{ path: '/mj/submit/upload-discord-images', body: { base64Array } }]);
  await expect
    .poll(() => scene.records())
    .toContainEqual(expect.objectContaining({ model: 'mj_turbo_upload', type: 'consume', quota: 0 }));
  expect(await available()).toBe(before);
});

test('reports images that the proxy rejects with its own message', async () => {
  vendor.setRefusal({ code: 4, description: 'base64 is malformed' });
  const response = await call('/mj/submit/upload-discord-images', { base64Array: ['x'] });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: 4, description: expect.stringContaining('base64 is malformed') as string },
  ]);
});

test('many images are polled in one request', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit({ prompt: 'x' })));
  vendor.pollSizes.length = 0;
  for (const drawing of vendor.tasks.values()) vendor.completeTask(drawing);
  await advanceUntil(scene.clock, async () => {
    const list = (await (await call('/mj/task/list-by-condition', { ids })).json()) as Drawing[];
    expect(list.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'SUCCESS']));
  });
  expect(Math.max(...vendor.pollSizes)).toBeGreaterThanOrEqual(ids.length);
});

test('an image whose poll the proxy refuses fails alone', async () => {
  const refused = await submit({ prompt: 'a cat' });
  const refusedName = vendor.getLastTask().id;
  const others = [await submit({ prompt: 'a dog' }), await submit({ prompt: 'a bird' })];
  for (const drawing of vendor.tasks.values()) if (drawing.id !== refusedName) vendor.completeTask(drawing);
  onTestFinished(() => vendor.resetReplies());
  vendor.overrideReply('POST /mj/task/list-by-condition', ({ body }) => {
    const { ids } = JSON.parse(body) as { ids: string[] };
    if (ids.includes(refusedName)) return { status: 400, json: { description: 'wrong id' } };
    return { json: ids.flatMap((id) => vendor.tasks.get(id) ?? []) };
  });
  const drawings = () => Promise.all([refused, ...others].map((id) => fetched(id)));
  const ends = ['FAILURE', 'SUCCESS', 'SUCCESS'].map((status) => ({ status }));
  await advanceUntil(scene.clock, async () => expect(await drawings()).toMatchObject(ends), 300);
});

test('the seed comes from the proxy', async () => {
  const id = await drawn();
  expect(await (await call(`/mj/task/${id}/image-seed`)).json()).toMatchObject({ code: 1, result: '1234567' });
});

test('a callback of the proxy triggers the next poll, and its content is ignored', async () => {
  // What other tests left open has its time.
  await scene.ctx.db.writer
    .updateTable('task')
    .set({ next_look_at: 2 ** 40 })
    .execute();
  vendor.pollSizes.length = 0;
  const before = await available();
  const id = await submit({ prompt: 'x' });
  const forged = { id: vendor.getOnlyTask().id, status: 'FAILURE', imageUrl: 'http://127.0.0.1/secret' };
  const notified = await fetch(`${scene.url}/mj/notify`, { method: 'POST', body: JSON.stringify(forged) });
  expect(notified.status).toBe(200);
  await advanceUntil(scene.clock, async () => expect(vendor.pollSizes).toEqual([1]), 1);
  expect(await fetched(id)).toMatchObject({ status: 'SUBMITTED', imageUrl: '' });
  expect(before - (await available())).toBe(POINTS.mj_imagine);
});

describe('another user', () => {
  test('cannot see, list or change an image', async () => {
    const id = await drawn();
    const stranger = await scene.createUser('user', { quota: 10_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, stranger);
    expect((await call(`/mj/task/${id}/fetch`, undefined, key)).status).toBe(404);
    expect((await call(`/mj/task/${id}/image-seed`, undefined, key)).status).toBe(404);
    expect(await (await call('/mj/task/list-by-condition', { ids: [id] }, key)).json()).toEqual([]);
    const change = await call('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 }, key);
    expect(change.status).toBe(404);
    expect((await call(`/mj/task/${id}/fetch`, undefined, 'sk-nobody')).status).toBe(401);
  });
});

test.each([
  ['/mj/submit/action', { taskId: 'x', customId: 'MJ::Strange' }],
  ['/mj/submit/action', { customId: 'MJ::JOB::upsample::1::x' }],
  ['/mj/submit/change', { taskId: 'x', action: 'EXPLODE' }],
  ['/mj/submit/change', { taskId: 'x', action: 'UPSCALE' }],
  ['/mj/submit/change', { taskId: 'x', action: 'VARIATION', index: 0 }],
  ['/mj/submit/change', { taskId: 'x', action: { toString: 1, valueOf: 1 } }],
  ['/mj/submit/change', { taskId: 'x', action: 'VARIATION', index: { toString: 1, valueOf: 1 } }],
  ['/mj/submit/change', { taskId: 'x', action: 'variation', index: 5 }],
  ['/mj/submit/change', { taskId: 'x', action: 'UPSCALE', index: null }],
  ['/mj/submit/change', { taskId: 'x', action: 'UPSCALE', index: 1.5 }],
  ['/mj/submit/simple-change', { content: 'x Q9' }],
  ['/mj/submit/simple-change', { content: 'x U' }],
  ['/mj/submit/simple-change', { content: 'x V5' }],
  ['/mj/submit/upload-discord-images', { base64Array: [] }],
])('rejects an invalid request in the proxy’s error format: %s', async (path, body) => {
  const response = await call(path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 4 });
  expect(vendor.submissions).toEqual([]);
});

test('reports the provider’s image URL and redirects to it when results are stored as links', async () => {
  await setOptions(scene.ctx, { ResultStorage: 'link' });
  const id = await submit({ prompt: 'a boat' });
  vendor.completeTask();
  const { imageUrl } = await until(id, 'SUCCESS');
  expect(imageUrl).toBe(`${vendor.url}/picture.png`);
  const here = await fetch(`${scene.url}/mj/image/${id}`, { redirect: 'manual' });
  expect([here.status, here.headers.get('location')]).toEqual([302, imageUrl]);
  await setOptions(scene.ctx, { ResultStorage: 'proxied' });
  expect((await fetch(`${scene.url}/mj/image/${id}`, { redirect: 'manual' })).status).toBe(200);
  expect((await fetched(id)).imageUrl).toContain(`/mj/image/${id}`);
});

describe('a request without a key', () => {
  const shown = (id: string, signal?: AbortSignal) => ({
    'as its own address': () => fetch(`${scene.url}/mj/image/${id}`, signal === undefined ? {} : { signal }),
    'in the console': () => scene.user.fetch(`/api/task/${id}/work/0`, signal === undefined ? {} : { signal }),
  });

  test.each(['as its own address', 'in the console'] as const)(
    'a picture %s takes a place of its address while it is sent, and gives it back',
    async (how) => {
      const id = await drawn();
      const sent = Promise.withResolvers<undefined>();
      vendor.overrideReply('GET /picture.png', async () => {
        await sent.promise;
        return { headers: { 'content-type': 'image/png' }, text: IMAGE_BYTES };
      });
      await setOptions(scene.ctx, { ConcurrencyPerAddress: '1' });
      const first = shown(id)[how]();
      await expect.poll(() => vendor.asked.at(-1)).toBe('GET /picture.png');
      const second = await shown(id)[how]();
      expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
      sent.resolve(undefined);
      expect(await (await first).text()).toBe(IMAGE_BYTES);
      await expect.poll(async () => (await shown(id)[how]()).status).toBe(200);
      const leaving = new AbortController();
      vendor.overrideReply('GET /picture.png', () => 'silence');
      const left = shown(id, leaving.signal)[how]();
      await expect.poll(async () => (await shown(id)[how]()).status).toBe(429);
      leaving.abort();
      await expect(left).rejects.toMatchObject({ name: 'AbortError' });
      vendor.resetReplies();
      await expect.poll(async () => (await shown(id)[how]()).status).toBe(200);
      await setOptions(scene.ctx, { ConcurrencyPerAddress: '0' });
    },
  );

  test.each([
    ['pictures', () => fetch(`${scene.url}/mj/image/x`), 404],
    ['news', () => fetch(`${scene.url}/mj/notify`, { method: 'POST', body: '{"id":"x"}' }), 200],
    ['kept works', () => fetch(`${scene.url}/v1/stored/x`), 404],
    ['works in the console', () => scene.user.fetch('/api/task/x/work/0'), 404],
  ])('of one address %s have a rate', async (_, ask, usual) => {
    const answers: Response[] = [];
    while (answers.length < 500 && answers.at(-1)?.status !== 429)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, ask))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([usual, 429]));
    expect(answers.at(-1)?.headers.get('ratelimit-policy')).toContain('"address-requests";q=1200');
    const withKey = { headers: { authorization: `Bearer ${scene.key}` } };
    expect((await fetch(`${scene.url}/v1/models`, withKey)).status).toBe(200);
    scene.clock.advance(60);
    expect((await ask()).status).toBe(usual);
  });
});
