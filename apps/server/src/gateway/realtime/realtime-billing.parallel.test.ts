/** Reservation for several responses of a session at the same time. */
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RealtimeUpstream,
  type ServedSession,
  startRealtimeUpstream,
} from '../../../../../tests/scripted-upstream/realtime.ts';
import {
  closeRealtime,
  expireReport,
  getErrorCode,
  openRealtimeSession,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
/** 500 + 300 tokens to read, 150 + 600 to write, a point each. */
const FIRST_HOLD = 1_550;
/** Usage that the scripted upstream reports. */
const RESPONSE_POINTS = 253;
const PROMPT = 1_000;
const OUTPUT_MAX = 4_096;
const BALANCE = 20_000;
const instructions = 'word'.repeat(PROMPT);
const manual = { type: 'realtime', audio: { input: { turn_detection: null } } };
const outside = { type: 'response.create', response: { conversation: 'none' } };

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON, quota: 10_000_000 });
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
  caller: RealtimeTestClient;
  session: ServedSession;
  userId: number;
  /** Number of requests of responses that the upstream has received. */
  requested: () => number;
}

/** @param limit quota of the token; absent: the balance of its user */
async function open(limit?: number): Promise<Opened> {
  const user = await scene.createUser('user', { quota: limit === undefined ? BALANCE : 1_000_000 });
  const limits = limit === undefined ? { unlimited_quota: true } : { remain_quota: toPoints(limit) };
  const key = await scene.newKey(limits, user);
  const { caller, session } = await openRealtimeSession(scene, upstream, 'live', { key });
  session.send({ type: 'session.updated', session: manual });
  await caller.waitForEvent('session.updated');
  const requested = () => session.receivedEvents.filter(({ type }) => type === 'response.create').length;
  return { caller, session, userId: user.id, requested };
}

/** Makes the upstream receive events without a response. */
function silence({ socket, receivedEvents }: ServedSession): void {
  socket.removeAllListeners('message');
  socket.on('message', (data) => {
    const event: unknown = JSON.parse(data.toString());
    if (typeof event === 'object') receivedEvents.push({ ...event });
  });
}

const created = (id: string) => ({ type: 'response.created', response: { id } });
const done = (id: string, input_tokens: number) => ({
  type: 'response.done',
  response: { id, usage: { input_tokens, output_tokens: 1 } },
});
const heldBy = async (userId: number) => {
  const query = scene.ctx.db.writer.selectFrom('hold').select('amount').where('user_id', '=', userId);
  return (await query.execute()).map(({ amount }) => amount);
};
const update = { type: 'session.update', session: { ...manual, instructions } };
/** Number of parallel responses that the balance covers. */
const COVERED = Math.floor(BALANCE / (PROMPT + OUTPUT_MAX));

test.each<[string, number | undefined, string]>([
  ['balance', undefined, 'insufficient_user_quota'],
  ['token', BALANCE, 'insufficient_token_quota'],
])('requests no more responses at the same time than the %s covers', async (_whose, limit, code) => {
  const { caller, session, requested, userId } = await open(limit);
  silence(session);
  caller.send(update);
  for (let nth = 0; nth < 80; nth += 1) caller.send(outside);
  expect(getErrorCode(await caller.waitForEvent('error'))).toMatch(/^insufficient_/);
  expect(requested()).toBe(COVERED);
  expect(await heldBy(userId)).toEqual([COVERED * (PROMPT + OUTPUT_MAX)]);
  expect((await caller.closed).reason).toBe(code);
  scene.clock.advance(5);
  await scene.waitUntilSettled();
});

test('keeps the reservation of the others when one of several responses is charged', async () => {
  const { caller, session, requested, userId } = await open();
  silence(session);
  caller.send(update);
  for (let nth = 0; nth < 3; nth += 1) caller.send(outside);
  await expect.poll(requested).toBe(3);
  for (const id of ['a', 'b', 'c']) session.send(created(id));
  session.send(done('a', 2_000));
  await caller.waitForEvent('response.done');
  // The report corrects the estimated prompt, which includes the instructions.
  expect((await heldBy(userId))[0]).toBeGreaterThan(2 * (2_000 + OUTPUT_MAX));
  session.send(done('b', 2_000));
  await caller.waitForEvent('response.done');
  expect(await heldBy(userId)).toEqual([2_001 + FIRST_HOLD]);
  session.send(done('c', 2_000));
  await caller.waitForEvent('response.done');
  await closeRealtime(caller);
  await scene.waitUntilSettled();
  expect(await scene.ctx.ledger.readAvailable(userId)).toBe(BALANCE - 3 * 2_001);
});

test('does not reserve less for a long conversation after a response without it', async () => {
  const { caller, session, requested } = await open();
  silence(session);
  const content = [{ type: 'input_text', text: 'word'.repeat(4 * PROMPT) }];
  caller.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  caller.send({ type: 'response.create', response: { conversation: 'none', input: [] } });
  await expect.poll(requested).toBe(1);
  session.send(created('a'));
  session.send(done('a', 1));
  await caller.waitForEvent('response.done');
  for (let nth = 0; nth < 80; nth += 1) caller.send(outside);
  await caller.waitForEvent('error');
  expect(requested()).toBe(1 + Math.floor((BALANCE - 2) / (4 * PROMPT + OUTPUT_MAX)));
  await caller.closed;
  scene.clock.advance(5);
  await scene.waitUntilSettled();
});

test('reserves long instructions before the upstream receives a single request', async () => {
  const { caller, session, userId, requested } = await open();
  silence(session);
  caller.send({ ...update, session: { ...manual, instructions: 'word'.repeat(8 * PROMPT) } });
  caller.send({ type: 'response.create' });
  await expect.poll(requested).toBe(1);
  expect((await heldBy(userId))[0]).toBeGreaterThanOrEqual(8 * PROMPT);
  session.send(created('a'));
  await caller.waitForEvent('response.created');
  await closeRealtime(caller);
  await expireReport(scene, upstream);
  await scene.waitUntilSettled();
});

test('reserves no more than before for one response at a time', async () => {
  const { caller, userId } = await open();
  const tools = [{ type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } }];
  const content = [{ type: 'input_text', text: 'word'.repeat(100) }];
  caller.send({ type: 'session.update', session: { ...manual, instructions: 'word'.repeat(200), tools } });
  const holds: number[][] = [await heldBy(userId)];
  for (let turn = 0; turn < 3; turn += 1) {
    caller.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    caller.send({ type: 'response.create', response: { instructions: 'word'.repeat(50) } });
    await caller.waitForEvent('response.created');
    holds.push(await heldBy(userId));
    await caller.waitForEvent('response.done');
  }
  const further = [FIRST_HOLD + RESPONSE_POINTS];
  expect(holds).toEqual([[FIRST_HOLD], [FIRST_HOLD], further, further]);
  await closeRealtime(caller);
  await scene.waitUntilSettled();
});

test('reserves for one response again after the upstream has refused a second one', async () => {
  const { caller, session, userId } = await open();
  silence(session);
  for (let nth = 0; nth < 2; nth += 1) caller.send({ type: 'response.create' });
  await expect.poll(async () => (await heldBy(userId))[0]).toBe(2 * OUTPUT_MAX);
  session.send(created('a'));
  session.send({ type: 'error', error: { code: 'conversation_already_has_active_response' } });
  session.send(done('a', RESPONSE_POINTS - 1));
  await caller.waitForEvent('response.done');
  expect(await heldBy(userId)).toEqual([FIRST_HOLD + RESPONSE_POINTS]);
  await closeRealtime(caller);
  await scene.waitUntilSettled();
});
