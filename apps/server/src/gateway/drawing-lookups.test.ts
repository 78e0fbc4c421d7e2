import { prices } from '@switchyard/contract/prices';
import { rates } from '@switchyard/contract/rates';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type DrawingVendor,
  PICTURE,
  startDrawingVendor,
} from '../../../../tests/scripted-tasks/scripted-midjourney.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

const NANO = 1_000_000_000;
const MIDJOURNEY = 34;
const POINTS = {
  mj_imagine: 50_000,
  mj_turbo_imagine: 100_000,
  mj_upscale: 10_000,
  mj_modal: 40_000,
  mj_zoom: 40_000,
};

let scene: RelayScene;
let vendor: DrawingVendor;

beforeAll(async () => {
  vendor = await startDrawingVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: MIDJOURNEY, models: ['mj_*'], base_url: vendor.url, key: 'mj-secret' });
  const priced = Object.entries({ 'mj_*': 30_000, ...POINTS });
  for (const [model, points] of priced)
    await scene.admin.api(prices).create({
      body: { model, type: 'times', rates: rates.parse({ input: points * NANO, output: 0 }) },
    });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.drawings.clear();
  vendor.orders.length = 0;
  vendor.questions.length = 0;
  vendor.refuseWith(undefined);
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

async function submit(body: Record<string, unknown>, path = '/mj/submit/imagine'): Promise<string> {
  const response = await call(path, body);
  const answer = (await response.json()) as { code: number; result: string };
  expect([response.status, answer.code]).toEqual([200, 1]);
  return answer.result;
}

const fetched = async (id: string) => (await (await call(`/mj/task/${id}/fetch`)).json()) as Drawing;

async function until(id: string, status: string): Promise<Drawing> {
  return vi.waitFor(
    async () => {
      scene.clock.advance(10);
      const drawing = await fetched(id);
      expect(drawing.status).toBe(status);
      return drawing;
    },
    { timeout: 15_000, interval: 300 },
  );
}

async function drawn(body: Record<string, unknown> = { prompt: 'a cat' }, path?: string): Promise<string> {
  const id = await submit(body, path);
  vendor.draw();
  await until(id, 'SUCCESS');
  return id;
}

const available = () => scene.ctx.ledger.availableOf(scene.user.id);

test('a drawing is held, followed, charged when it is there, and shown under the gateway’s own address', async () => {
  const before = available();
  const id = await submit({ prompt: '一只猫', state: 'mine', botType: 'MID_JOURNEY' });
  expect(before - available()).toBe(POINTS.mj_imagine);
  Object.assign(vendor.only(), { status: 'IN_PROGRESS', progress: '37%' });
  expect(await until(id, 'IN_PROGRESS')).toMatchObject({ progress: '37%', imageUrl: '' });
  vendor.draw();
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
  expect(before - available()).toBe(POINTS.mj_imagine);
  // Anybody who knows the id sees the picture, as in a page.
  const picture = await fetch(scene.url + new URL(done.imageUrl, scene.url).pathname);
  expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/png', PICTURE]);
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_imagine', quota: POINTS.mj_imagine });
});

test.each([
  ['/mj-turbo/mj', 'mj_turbo_imagine', 'TURBO'],
  ['/mj-relax/mj', 'mj_relax_imagine', 'RELAX'],
  ['/mj-fast/mj', 'mj_imagine', 'FAST'],
])('below %s the price is that of %s, whatever the prompt says', async (root, model, mode) => {
  const id = await submit(
    {
      prompt: 'a cat --turbo --relax —fast --ar 1:1',
      accountFilter: { modes: ['TURBO'] },
      notifyHook: 'http://x',
    },
    `${root}/submit/imagine`,
  );
  expect(vendor.orders[0]).toEqual({
    path: '/mj/submit/imagine',
    body: { prompt: expect.stringMatching(/^a cat\s+--ar 1:1$/) as string, accountFilter: { modes: [mode] } },
  });
  vendor.draw();
  await until(id, 'SUCCESS');
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({ model });
});

test('a button goes to the proxy that drew, under its own name for the drawing, in its mode', async () => {
  const origin = await drawn({ prompt: 'a cat' }, '/mj-turbo/mj/submit/imagine');
  const { id: theirs } = vendor.only();
  const [button] = (await fetched(origin)).buttons;
  const id = await submit({ taskId: origin, customId: button?.customId }, '/mj/submit/action');
  expect(vendor.orders.at(-1)).toEqual({
    path: '/mj/submit/action',
    body: { taskId: theirs, customId: button?.customId, accountFilter: { modes: ['TURBO'] } },
  });
  vendor.draw();
  expect(await until(id, 'SUCCESS')).toMatchObject({ action: 'UPSCALE' });
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_turbo_upscale' });
});

test('a simple change names drawing and step in one line', async () => {
  const origin = await drawn();
  const { id: theirs } = vendor.only();
  await submit({ content: `${origin} U2` }, '/mj/submit/simple-change');
  expect(vendor.orders.at(-1)?.body['content']).toBe(`${theirs} U2`);
  const before = await scene.records();
  vendor.draw();
  await vi.waitFor(async () => {
    scene.clock.advance(10);
    expect((await scene.records()).length).toBe(before.length + 1);
  }, 10_000);
  expect((await scene.records()).at(-1)).toMatchObject({ model: 'mj_upscale', quota: POINTS.mj_upscale });
});

test('a window costs nothing until it is answered, and its answer is charged once', async () => {
  const origin = await drawn();
  const before = available();
  const window = await submit(
    { taskId: origin, customId: `MJ::CustomZoom::${vendor.only().id}` },
    '/mj/submit/action',
  );
  expect(available()).toBe(before);
  expect(await until(window, 'MODAL')).toMatchObject({ action: 'CUSTOM_ZOOM' });
  const id = await submit({ taskId: window, prompt: 'a cat --zoom 1.8' }, '/mj/submit/modal');
  expect(id).not.toBe(window);
  expect(before - available()).toBe(POINTS.mj_modal);
  vendor.draw();
  await until(id, 'SUCCESS');
  expect(await fetched(window)).toMatchObject({ status: 'SUCCESS' });
  expect(before - available()).toBe(POINTS.mj_modal);
});

test('a drawing that fails costs nothing and says why', async () => {
  const before = available();
  const id = await submit({ prompt: 'x' });
  Object.assign(vendor.only(), { status: 'FAILURE', failReason: 'Internal error of Discord' });
  expect(await until(id, 'FAILURE')).toMatchObject({ failReason: 'Internal error of Discord' });
  expect(available()).toBe(before);
});

test.each([
  [24, 'The prompt may be sensitive', 400, 4],
  [4, 'The parameters are wrong', 400, 4],
  [3, 'No account is there', 502, 5],
  [23, 'The queue is full', 429, 30],
])('what the proxy refuses with %i costs nothing', async (code, description, status, told) => {
  const before = available();
  vendor.refuseWith({ code, description });
  const response = await call('/mj/submit/imagine', { prompt: 'x' });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code: told, description: expect.any(String) as string });
  expect(available()).toBe(before);
});

test('many drawings are asked about in one question', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit({ prompt: 'x' })));
  vendor.questions.length = 0;
  for (const drawing of vendor.drawings.values()) vendor.draw(drawing);
  await vi.waitFor(async () => {
    scene.clock.advance(10);
    const list = (await (await call('/mj/task/list-by-condition', { ids })).json()) as Drawing[];
    expect(list.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'SUCCESS']));
  }, 10_000);
  expect(Math.max(...vendor.questions)).toBe(20);
});

test('the seed comes from the proxy', async () => {
  const id = await drawn();
  expect(await (await call(`/mj/task/${id}/image-seed`)).json()).toMatchObject({
    code: 1,
    result: '1234567',
  });
});

test('news of the proxy make the next look due, and nothing that they say is believed', async () => {
  const before = available();
  const id = await submit({ prompt: 'x' });
  const forged = { id: vendor.only().id, status: 'FAILURE', imageUrl: 'http://127.0.0.1/secret' };
  const told = await fetch(`${scene.url}/mj/notify`, { method: 'POST', body: JSON.stringify(forged) });
  expect(told.status).toBe(200);
  await vi.waitFor(() => expect(vendor.questions).toEqual([1]), 5_000);
  expect(await fetched(id)).toMatchObject({ status: 'SUBMITTED', imageUrl: '' });
  expect(before - available()).toBe(POINTS.mj_imagine);
});

describe('somebody else', () => {
  test('cannot see, list or change a drawing', async () => {
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
  ['/mj/submit/simple-change', { content: 'x Q9' }],
])('what makes no sense is refused in the proxy’s own words: %s', async (path, body) => {
  const response = await call(path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 4 });
  expect(vendor.orders).toEqual([]);
});
