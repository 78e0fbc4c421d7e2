import { setImmediate } from 'node:timers/promises';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../../tests/scripted-tasks/scripted-videos.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { createOpenTasks } from './open-tasks.ts';

const MOST = 3;
const OPENAI = 1;

let scene: RelayScene;
let vendor: VideoVendor;
let key: string;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: OPENAI, models: ['film'], base_url: vendor.url });
  const second = rates.parse({ input: 0, output: 0, second: 1_000_000_000 });
  await scene.admin.api(prices).create({ body: { model: 'film', rates: second } });
  await setOptions(scene.ctx, { OpenTasksPerUser: String(MOST) });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(async () => {
  vendor.videos.clear();
  vendor.submissions.length = 0;
  const user = await scene.createUser('user', { quota: 1_000_000 });
  key = await scene.newKey({ unlimited_quota: true }, user);
});

const submit = (as = key) => scene.post('/v1/videos', { model: 'film', prompt: 'a cat' }, { key: as });

async function submitAtOnce(count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => submit()));
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

test('takes no more of the submissions sent at the same instant than may be open', async () => {
  expect(await submitAtOnce(20)).toEqual([...Array<number>(MOST).fill(200), ...Array<number>(20 - MOST).fill(429)]);
  expect(vendor.submissions).toHaveLength(MOST);
});

test('refuses the next submission of that user alone, with a reason, until an open task has ended', async () => {
  expect(await submitAtOnce(MOST)).toEqual([200, 200, 200]);
  const refused = await submit();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await refused.json()).toMatchObject({
    error: { code: 'rate_limit_exceeded', message: expect.stringContaining('limit of 3 concurrent tasks') },
  });
  expect((await submit(scene.key)).status).toBe(200);
  for (const video of vendor.videos.values()) video.status = 'completed';
  await advanceUntil(scene.clock, async () => expect((await submit()).status).toBe(200));
});

test('frees the slot of a submission that came to nothing', async () => {
  vendor.overrideReply('POST /v1/videos', () => ({ status: 400, json: { error: { message: 'no' } } }));
  expect(await submitAtOnce(MOST)).toEqual([400, 400, 400]);
  vendor.resetReplies();
  expect(await submitAtOnce(MOST)).toEqual([200, 200, 200]);
});

test('sets no limit by 0', async () => {
  await setOptions(scene.ctx, { OpenTasksPerUser: '0' });
  expect(await submitAtOnce(MOST + 2)).toEqual([200, 200, 200, 200, 200]);
  await setOptions(scene.ctx, { OpenTasksPerUser: String(MOST) });
});

/** Returns a submission of one user. @param onResponse called when its response is sent */
function submissionOf(requestId: string, onResponse: (body: string) => void) {
  const client: ClientResponse = {
    hasSentHead: false,
    isDelivering: false,
    hasLeft: false,
    unsentBytes: 0,
    waitUntilSent: () => undefined,
    stopReason: undefined,
    mustAbort: false,
    onDrain: undefined,
    onLeave: undefined,
    stop: () => {},
    refuse: () => {},
    header: () => {},
    comment: () => {},
    disconnect: () => {},
    send: (_status, _type, body) => onResponse(String(body)),
    write: () => true,
    end: () => {},
    sendNow: () => {},
    endNow: () => {},
  };
  return { principal: { user: { id: 1 } }, requestId, request: {}, client };
}

test('releases the slot of a submission before its response is sent, so that the next one is admitted', async () => {
  const released = Promise.withResolvers<void>();
  const takeSlot = async () => ({ release: () => released.promise });
  const openTasks = createOpenTasks(() => ({ openTasksPerUser: 1 }), { acquireSlot: takeSlot });
  const responses: string[] = [];
  const runs: Promise<void>[] = [];
  const submit = (requestId: string, onResponse = (): void => {}): void => {
    const call = submissionOf(requestId, (body) => {
      responses.push(body);
      onResponse();
    });
    runs.push(openTasks.run(call, async (client) => client.send(200, 'text/plain', requestId)));
  };
  submit('first', () => submit('second'));
  await setImmediate();
  expect(responses).toEqual([]);
  released.resolve();
  await runs[0];
  await runs[1];
  expect(responses).toEqual(['first', 'second']);
});
