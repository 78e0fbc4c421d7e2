import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  AUDIO_CHUNK_BYTES,
  type RealtimeUpstream,
  type ServedSession,
  startRealtimeUpstream,
} from '../../../../../tests/scripted-upstream/realtime.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import {
  closeRealtime,
  connectRealtime,
  openRealtimeSession,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
const RATES = rates.parse({ input: POINT, imageInput: POINT, output: POINT, audioOutput: POINT });
/** Tokens that the scripted upstream reports for each response. */
const REPORTED = { prompt_tokens: 132, completion_tokens: 121, usage_source: 'reported' };
/** Speaks for a minute. */
const LONG = '+tokens-600+drip-100';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  // The clock is stopped: a session ends by its limit only if a test advances it.
  scene = await startRelayScene({ now: NOON, quota: 10_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
  await scene.admin.api(prices).create({ body: { model: 'live*', rates: RATES } });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

interface Opened {
  caller: RealtimeTestClient;
  session: ServedSession;
  records: () => ReturnType<RelayScene['records']>;
}

async function open(model: string, key = scene.key): Promise<Opened> {
  const before = (await scene.records()).length;
  const { caller, session } = await openRealtimeSession(scene, upstream, model, { key });
  const records = async () => {
    await scene.waitUntilSettled();
    return (await scene.records()).slice(before);
  };
  return { caller, session, records };
}

/** Opens a session whose client has received the first part of a response. */
async function openAndListen(model: string, key?: string): Promise<Opened> {
  const opened = await open(model, key);
  opened.caller.send({ type: 'response.create' });
  await opened.caller.waitForEvent('response.output_audio.delta');
  return opened;
}

const cancelsOf = ({ receivedEvents }: ServedSession) =>
  receivedEvents.filter(({ type }) => type === 'response.cancel').map((event) => event['response_id']);
const untilCancelled = (session: ServedSession, count = 1) =>
  expect.poll(() => cancelsOf(session), { interval: 5 }).toHaveLength(count);
const untilClosed = (session: ServedSession) => expect.poll(() => session.closed?.code).toBe(1000);

test('charges the reported usage of a response whose client disconnects, without the end of the session', async () => {
  const { caller, session, records } = await openAndListen(`live${LONG}`);
  caller.socket.terminate();
  const [record, ...others] = await records();
  expect(record).toMatchObject(REPORTED);
  expect(record?.detail).toContain('client-left');
  expect(others).toEqual([]);
  expect(cancelsOf(session)).toEqual(['resp_1']);
  await untilClosed(session);
});

test('charges the delivered content when the upstream never reports, and closes it after five seconds', async () => {
  const { caller, session, records } = await open('live');
  const image = { type: 'input_image', image_url: 'https://images.test/1.png' };
  caller.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [image, image] } });
  await expect.poll(() => session.receivedEvents.length).toBe(1);
  const delta = { type: 'response.output_text.delta', response_id: 'r', delta: 'four' };
  session.send({ type: 'response.created', response: { id: 'r' } });
  session.send(delta);
  await caller.waitForEvent(delta.type);
  caller.socket.terminate();
  await untilCancelled(session);
  // The client gets nothing of it.
  for (let nth = 0; nth < 100; nth += 1) session.send(delta);
  scene.clock.advance(4.9);
  await sleep(systemTimers, 100);
  expect([session.closed, scene.ctx.ledger.openHolds]).toEqual([undefined, 1]);
  scene.clock.advance(0.2);
  const [record, ...others] = await records();
  expect(record).toMatchObject({ prompt_tokens: 2_000, completion_tokens: 1, usage_source: 'estimated' });
  expect(record?.detail).toContain('client-left');
  expect(others).toEqual([]);
  await untilClosed(session);
});

test('closes the upstream at once when nothing runs', async () => {
  const { caller, session, records } = await open('live');
  await closeRealtime(caller);
  await untilClosed(session);
  expect(cancelsOf(session)).toEqual([]);
  expect(await records()).toEqual([]);
});

test('charges the reported usage of a response of which the client has received nothing', async () => {
  const { caller, session, records } = await open('live');
  session.send({ type: 'response.created', response: { id: 'r' } });
  await caller.waitForEvent('response.created');
  await closeRealtime(caller);
  await untilCancelled(session);
  expect(cancelsOf(session)).toEqual(['r']);
  const usage = { input_tokens: 7, output_tokens: 0 };
  session.send({ type: 'response.done', response: { id: 'r', status: 'cancelled', usage } });
  await untilClosed(session);
  expect(await records()).toMatchObject([{ prompt_tokens: 7, completion_tokens: 0, usage_source: 'reported' }]);
});

test('waits until each of several responses is reported, and charges the reports', async () => {
  const { caller, session, records } = await open('live');
  const ids = ['a', 'b'];
  for (const id of ids) session.send({ type: 'response.output_text.delta', response_id: id, delta: 'four' });
  session.send({ type: 'last' });
  await caller.waitForEvent('last');
  caller.socket.terminate();
  await untilCancelled(session, 2);
  expect(cancelsOf(session)).toEqual(ids);
  const done = (id: string, input_tokens: number) => ({
    type: 'response.done',
    response: { id, status: 'cancelled', usage: { input_tokens, output_tokens: 3_000 } },
  });
  session.send(done('b', 7));
  await expect.poll(async () => (await scene.records()).at(-1)?.prompt_tokens).toBe(7);
  expect(session.closed).toBeUndefined();
  session.send(done('a', 8));
  await expect.poll(records).toMatchObject([
    { prompt_tokens: 7, completion_tokens: 3_000, usage_source: 'reported' },
    { prompt_tokens: 8, completion_tokens: 3_000, usage_source: 'reported' },
  ]);
  await untilClosed(session);
});

test('estimates only the responses that were not reported in time', async () => {
  const { caller, session, records } = await open('live');
  for (const id of ['a', 'b']) session.send({ type: 'response.output_text.delta', response_id: id, delta: 'four' });
  session.send({ type: 'last' });
  await caller.waitForEvent('last');
  caller.socket.terminate();
  await untilCancelled(session, 2);
  session.send({ type: 'response.done', response: { id: 'a', usage: { input_tokens: 7, output_tokens: 9 } } });
  await expect.poll(async () => (await scene.records()).at(-1)?.prompt_tokens).toBe(7);
  scene.clock.advance(5);
  await expect.poll(records).toMatchObject([
    { completion_tokens: 9, usage_source: 'reported' },
    { completion_tokens: 1, usage_source: 'estimated' },
  ]);
});

test('charges the delivered content when the upstream closes instead of reporting', async () => {
  const { caller, session, records } = await openAndListen('live+tokens-2+silent-after-1');
  caller.socket.terminate();
  await untilCancelled(session);
  session.socket.close(1000);
  const [record] = await records();
  expect(record).toMatchObject({ completion_tokens: 2 + 5, usage_source: 'estimated' });
  expect(record?.detail).toContain('client-left');
});

test('reads the report after the audio that a client has not read', async () => {
  const { caller, session, records } = await openAndListen('live+tokens-2000');
  caller.socket.pause();
  const unread = (262_144 * 3) / 4 / AUDIO_CHUNK_BYTES;
  const isWaiting = () => session.piecesSent > caller.events.length + unread || session.piecesSent === 2_000;
  await expect.poll(isWaiting).toBe(true);
  caller.socket.terminate();
  await expect.poll(records).toMatchObject([REPORTED]);
  await untilClosed(session);
});

test('charges the report when the gateway ends the session, and forwards nothing more', async () => {
  const key = await scene.newKey({ name: 'revoked', unlimited_quota: true });
  const { caller, session, records } = await openAndListen('live+tokens-2+silent-after-1', key);
  const { data } = await scene.user.api(apiKeys).list({ query: { page: 1, size: 100 } });
  const id = data.find(({ name }) => name === 'revoked')?.id;
  if (id === undefined) throw new Error('the token is missing');
  caller.socket.on('message', () => caller.send({ type: 'response.create' }));
  await scene.user.api(apiKeys).update({ body: { id, status: 'disabled' } });
  scene.clock.advance(1);
  await caller.waitForEvent('error');
  await untilCancelled(session);
  await caller.closed;
  session.send({ type: 'response.done', response: { id: 'resp_1', usage: { input_tokens: 7, output_tokens: 900 } } });
  await expect.poll(records).toMatchObject([
    { prompt_tokens: 7, completion_tokens: 900, usage_source: 'reported' },
    { type: 'error', quota: 0 },
  ]);
  await untilClosed(session);
  expect(session.receivedEvents.map(({ type }) => type)).toEqual(['response.create', 'response.cancel']);
  expect(caller.events.at(-1)?.['type']).toBe('error');
});

test('charges a reported response for which nothing is held, because its client has spent the balance', async () => {
  const user = await scene.createUser('user', { quota: 10_000 });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  const { caller, session, records } = await open('live', key);
  const done = (id: string, output_tokens: number) => ({
    type: 'response.done',
    response: { id, usage: { input_tokens: 1, output_tokens } },
  });
  for (const id of ['a', 'b', 'c'])
    session.send({ type: 'response.output_text.delta', response_id: id, delta: 'four' });
  session.send(done('a', 9_998));
  expect((await caller.closed).code).toBe(1008);
  await untilCancelled(session, 2);
  session.send(done('b', 100));
  session.send(done('c', 200));
  await untilClosed(session);
  const charges = async () => (await records()).flatMap(({ type, quota }) => (type === 'consume' ? [quota] : []));
  await expect.poll(charges).toEqual([9_999, 101, 201]);
  expect(await scene.ctx.ledger.readAvailable(user.id)).toBe(10_000 - 9_999 - 101 - 201);
  await expect.poll(() => scene.ctx.ledger.openHolds).toBe(0);
});

test('keeps the concurrency slot until the report', async () => {
  const setting = apiKeySetting.parse({});
  const limits = { ...setting.limits, concurrency: 1 };
  const key = await scene.newKey({ unlimited_quota: true, setting: { ...setting, limits } });
  const { caller, session, records } = await openAndListen('live+tokens-2+silent-after-1', key);
  await closeRealtime(caller);
  await untilCancelled(session);
  expect((await connectRealtime(scene, 'live', { key }).rejection).status).toBe(429);
  session.send({ type: 'response.done', response: { id: 'resp_1', usage: { input_tokens: 7, output_tokens: 9 } } });
  await expect.poll(records).toMatchObject([{ prompt_tokens: 7 }]);
  const { caller: next } = await open('live', key);
  await closeRealtime(next);
});

test.each([
  ['a client listens', false],
  ['a client has left', true],
])('stops without waiting for the report of a response while %s', async (_who, hasLeft) => {
  const other = await startRelayScene({ now: NOON });
  await other.newChannel({ models: ['live*'], base_url: upstream.url });
  const { caller, session } = await openRealtimeSession(other, upstream, 'live+tokens-2+silent-after-1');
  caller.send({ type: 'response.create' });
  await caller.waitForEvent('response.output_audio.delta');
  if (hasLeft) {
    await closeRealtime(caller);
    await untilCancelled(session);
  }
  await other.close();
  await untilClosed(session);
  expect(cancelsOf(session)).toHaveLength(hasLeft ? 1 : 0);
});
