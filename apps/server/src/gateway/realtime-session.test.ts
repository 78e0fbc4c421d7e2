import { deadlines } from '@switchyard/contract/channels';
import { settings } from '@switchyard/contract/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RealtimeUpstream,
  startRealtimeUpstream,
} from '../../../../tests/scripted-upstream/realtime.ts';
import { callRealtime, codeOf, hangUp } from '../testing/realtime-caller.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene();
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

async function opened(model: string, options = {}) {
  const caller = callRealtime(scene, model, options);
  await caller.heard('session.created');
  const session = upstream.sessions.at(-1);
  if (session === undefined) throw new Error('the upstream has no session');
  return { caller, session };
}

/** Longer than between two looks at the deadlines. */
const aLook = () => new Promise((resolve) => setTimeout(resolve, 1_100));

test('nobody says anything in for five minutes is ended', async () => {
  const { caller, session } = await opened('live-silent');
  scene.clock.advance(4 * 60);
  await aLook();
  caller.say({ type: 'session.update' });
  await expect.poll(() => session.heard.length).toBe(1);
  scene.clock.advance(4 * 60);
  await aLook();
  expect(caller.socket.readyState).toBe(1);
  scene.clock.advance(61);
  expect(codeOf(await caller.heard('error'))).toBe('session_expired');
  expect((await caller.closed).code).toBe(1008);
  await expect.poll(() => session.closed?.code).toBe(1000);
});

test('ends after an hour, however lively', async () => {
  const { caller, session } = await opened('live-long');
  for (let minutes = 0; minutes < 60; minutes += 4) {
    scene.clock.advance(4 * 60);
    caller.say({ type: 'session.update' });
    await expect.poll(() => session.heard.length).toBe(minutes / 4 + 1);
  }
  expect(codeOf(await caller.heard('error'))).toBe('session_expired');
  await caller.closed;
});

test('a client that answers no ping is gone, one that answers stays', async () => {
  const [deaf, well] = [await opened('live-deaf', { isDeaf: true }), await opened('live-well')];
  scene.clock.advance(21);
  await aLook();
  scene.clock.advance(21);
  expect((await deaf.caller.closed).code).toBe(1006);
  await expect.poll(() => deaf.session.closed).toBeDefined();
  await aLook();
  expect(well.caller.socket.readyState).toBe(1);
  await hangUp(well.caller);
});

test('a client that reads nothing is given up, however much it says itself', async () => {
  const { caller, session } = await opened('live+tokens-20000');
  caller.say({ type: 'response.create' });
  await caller.heard('response.created');
  caller.socket.pause();
  let last = -1;
  while (session.piecesSent !== last) {
    last = session.piecesSent;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  for (let ping = 0; ping < 2; ping += 1) {
    caller.say({ type: 'input_audio_buffer.clear' });
    scene.clock.advance(21);
    await aLook();
  }
  await expect.poll(() => session.closed, { timeout: 3_000 }).toBeDefined();
  await scene.settled();
  caller.socket.terminate();
});

test('an upstream that does not answer the upgrade is given up', async () => {
  await scene.newChannel({
    models: ['slow-first-byte'],
    base_url: upstream.url,
    deadlines: deadlines.parse({ connect: 1, first_byte: 1 }),
  });
  const { status } = await callRealtime(scene, 'slow-first-byte').refused;
  expect(status).toBe(504);
  await scene.settled();
});

test('tells its client when the gateway stops, and ends within a second', async () => {
  const other = await startRelayScene();
  await other.newChannel({ models: ['live*'], base_url: upstream.url });
  const caller = callRealtime(other, 'live-stopping');
  await caller.heard('session.created');
  const from = performance.now();
  const stopped = other.close();
  expect(codeOf(await caller.heard('error'))).toBe('gateway_stopping');
  expect((await caller.closed).code).toBe(1001);
  await stopped;
  expect(performance.now() - from).toBeLessThan(2_000);
});

test('takes one of the places among the requests at the same time, and gives it back', async () => {
  const limit = (value: string) =>
    scene.admin.api(settings).updateMany({ body: [{ key: 'ConcurrencyPerUser', value }] });
  await limit('1');
  const { caller } = await opened('live-place');
  expect((await callRealtime(scene, 'live-place').refused).status).toBe(429);
  await hangUp(caller);
  await scene.settled();
  const again = await opened('live-place');
  await hangUp(again.caller);
  await limit('0');
});
