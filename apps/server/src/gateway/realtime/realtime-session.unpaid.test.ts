/** Begun responses that are not charged. */
import { apiKeys, type CreateApiKey } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RealtimeUpstream,
  type ServedSession,
  startRealtimeUpstream,
} from '../../../../../tests/scripted-upstream/realtime.ts';
import {
  closeRealtime,
  connectRealtime,
  openRealtimeSession,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import type { SignedInUser } from '../../testing/start-test-app.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
/** Number of unpaid requests within a minute after which a user is refused. */
const LIMIT = 30;
const BALANCE = 1_000_000;
const usage = { input_tokens: 7, output_tokens: 1 };

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  // The clock is stopped: nothing is forgotten after a minute.
  scene = await startRelayScene({ now: NOON });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
  const flat = rates.parse({ input: POINT, output: POINT });
  await scene.admin.api(prices).create({ body: { model: 'live*', rates: flat } });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

interface Opened {
  user: SignedInUser;
  caller: RealtimeTestClient;
  session: ServedSession;
}

/** Opens a session in which the upstream begins each requested response and never delivers any of it. */
async function open(limits: Partial<CreateApiKey> = {}): Promise<Opened> {
  const user = await scene.createUser('user', { quota: BALANCE });
  const key = await scene.newKey({ name: 'first', unlimited_quota: true, ...limits }, user);
  const { caller, session } = await openRealtimeSession(scene, upstream, 'live', { key });
  const { socket, receivedEvents, send } = session;
  socket.removeAllListeners('message');
  socket.on('message', (data) => {
    const event: unknown = JSON.parse(data.toString());
    if (typeof event !== 'object') return;
    const received: Readonly<Record<string, unknown>> = { ...event };
    receivedEvents.push(received);
    if (received['type'] === 'response.create')
      send({ type: 'response.created', response: { id: `r${receivedEvents.length}` } });
  });
  return { user, caller, session };
}

/** Begins responses, and returns their ids. */
async function begin({ caller }: Opened, responses: number): Promise<unknown[]> {
  const ids: unknown[] = [];
  const response = { conversation: 'none', max_output_tokens: 1 };
  for (let nth = 0; nth < responses; nth += 1) {
    caller.send({ type: 'response.create', response });
    ids.push((await caller.waitForEvent('response.created'))['response']);
  }
  return ids.map((one) => (typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined));
}

const cancelled = ({ receivedEvents }: ServedSession) =>
  receivedEvents.filter(({ type }) => type === 'response.cancel').map((event) => event['response_id']);

/** Waits until the gateway has cancelled the responses, and until it no longer waits for their reports. */
async function expire({ session }: Opened, responses: number): Promise<void> {
  await expect.poll(() => cancelled(session)).toHaveLength(responses);
  scene.clock.advance(5);
  await expect.poll(() => session.closed).toBeDefined();
  await scene.waitUntilSettled();
}

/** Returns whether the user is refused because of unpaid requests. */
async function isRefused({ user }: Opened): Promise<boolean> {
  const caller = connectRealtime(scene, 'live', { key: await scene.newKey({ unlimited_quota: true }, user) });
  const reply = await Promise.race([caller.waitForEvent('session.created'), caller.rejection]);
  if (!('status' in reply)) {
    await closeRealtime(caller);
    return false;
  }
  expect(reply).toMatchObject({ status: 429, body: expect.stringContaining('30 failed requests per minute') });
  return true;
}

test.each([
  ['fewer than the limit', LIMIT - 1, false],
  ['as many as the limit', LIMIT, true],
])('counts each response that a leaving client has begun: %s', async (_what, responses, refused) => {
  const opened = await open();
  const ids = await begin(opened, responses);
  opened.caller.socket.terminate();
  await expire(opened, responses);
  expect(cancelled(opened.session)).toEqual(ids);
  expect(await isRefused(opened)).toBe(refused);
});

test('counts begun responses beside one that is charged', async () => {
  const opened = await open();
  const [delivering] = await begin(opened, LIMIT + 1);
  opened.session.send({ type: 'response.output_text.delta', response_id: delivering, delta: 'word' });
  await opened.caller.waitForEvent('response.output_text.delta');
  opened.caller.socket.terminate();
  await expire(opened, LIMIT + 1);
  expect(await isRefused(opened)).toBe(true);
  expect(await scene.ctx.ledger.readAvailable(opened.user.id)).toBeLessThan(BALANCE);
});

test.each<[string, Partial<CreateApiKey>, (opened: Opened) => unknown]>([
  ['a rate limit', { api_rate: LIMIT }, ({ caller }) => caller.send({ type: 'response.create' })],
  [
    'the balance',
    {},
    ({ caller }) =>
      caller.send({
        type: 'conversation.item.create',
        item: { type: 'message', content: [{ type: 'input_text', text: 'word'.repeat((2 * BALANCE) / LIMIT) }] },
      }),
  ],
  ['an invalid event', {}, ({ caller }) => caller.socket.send('[]')],
  [
    'a lost right',
    {},
    async ({ user }) => {
      const { data } = await user.api(apiKeys).list({ query: { page: 1, size: 100 } });
      const id = data[0]?.id;
      if (id !== undefined) await user.api(apiKeys).update({ body: { id, status: 'disabled' } });
      scene.clock.advance(1);
    },
  ],
])('counts begun responses when %s ends the session', async (_what, limits, end) => {
  const opened = await open(limits);
  await begin(opened, LIMIT);
  await end(opened);
  await opened.caller.waitForEvent('error');
  await opened.caller.closed;
  await expect.poll(() => cancelled(opened.session).length).toBeGreaterThanOrEqual(LIMIT);
  await expire(opened, cancelled(opened.session).length);
  expect(await isRefused(opened)).toBe(true);
});

test('does not count responses when the upstream ends the session', async () => {
  const opened = await open();
  await begin(opened, LIMIT);
  opened.session.socket.close(1011);
  await opened.caller.closed;
  await scene.waitUntilSettled();
  expect(await isRefused(opened)).toBe(false);
});

test('charges all begun responses whose usage the upstream reports, and counts none of them', async () => {
  const opened = await open();
  const ids = await begin(opened, LIMIT);
  opened.caller.socket.terminate();
  await expect.poll(() => cancelled(opened.session)).toHaveLength(LIMIT);
  for (const id of ids) opened.session.send({ type: 'response.done', response: { id, status: 'cancelled', usage } });
  await expect.poll(() => opened.session.closed).toBeDefined();
  await scene.waitUntilSettled();
  expect(await scene.ctx.ledger.readAvailable(opened.user.id)).toBe(BALANCE - LIMIT * 8);
  expect(await isRefused(opened)).toBe(false);
});

test('cancels a response that begins after its client has left', async () => {
  const opened = await open();
  const { caller, session } = opened;
  session.socket.removeAllListeners('message');
  const received: unknown[] = [];
  session.socket.on('message', (data) => received.push(JSON.parse(data.toString())));
  caller.send({ type: 'response.create' });
  await expect.poll(() => received.length).toBe(1);
  await closeRealtime(caller);
  session.send({ type: 'response.created', response: { id: 'late' } });
  await expect.poll(() => received[1]).toEqual({ type: 'response.cancel', response_id: 'late' });
  session.send({ type: 'response.done', response: { id: 'late', status: 'cancelled', usage } });
  await expect.poll(() => session.closed).toBeDefined();
  await scene.waitUntilSettled();
  expect(await scene.ctx.ledger.readAvailable(opened.user.id)).toBe(BALANCE - 8);
});

test('counts responses that the client cancels before their first word, unless they are charged', async () => {
  const opened = await open();
  const { caller, session } = opened;
  for (let nth = 0; nth < LIMIT; nth += 1) {
    const [id] = await begin(opened, 1);
    caller.send({ type: 'response.cancel', response_id: id });
    session.send({ type: 'response.done', response: { id, status: 'cancelled', usage: nth === 0 ? usage : null } });
    await caller.waitForEvent('response.done');
  }
  expect(await isRefused(opened)).toBe(false);
  const [id] = await begin(opened, 1);
  session.send({ type: 'response.done', response: { id, status: 'cancelled' } });
  await caller.waitForEvent('response.done');
  expect(await isRefused(opened)).toBe(true);
  await closeRealtime(caller);
});
