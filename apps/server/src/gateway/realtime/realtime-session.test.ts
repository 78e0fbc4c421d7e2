import { once } from 'node:events';
import { deadlines } from '@switchyard/contract/channels/channel-nested-settings';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import {
  closeRealtime,
  connectRealtime,
  getErrorCode,
  openRealtimeSession,
} from '../../testing/realtime-test-client.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const opened = (model: string, options = {}) => openRealtimeSession(scene, upstream, model, options);

/** Sends an event, and waits until the upstream has it. */
async function saySomething({ caller, session }: Awaited<ReturnType<typeof opened>>): Promise<void> {
  const receivedCount = session.receivedEvents.length;
  caller.send({ type: 'session.update' });
  await expect.poll(() => session.receivedEvents.length, { interval: 5 }).toBe(receivedCount + 1);
}

test('ends a session without messages for five minutes', async () => {
  const both = await opened('live-silent');
  const { caller, session } = both;
  scene.clock.advance(4 * 60);
  await saySomething(both);
  scene.clock.advance(4 * 60);
  await saySomething(both);
  scene.clock.advance(5 * 60);
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('session_expired');
  expect((await caller.closed).code).toBe(1008);
  await expect.poll(() => session.closed?.code).toBe(1000);
});

test('ends after an hour, however lively', async () => {
  const both = await opened('live-long');
  const { caller } = both;
  for (let minutes = 4; minutes < 60; minutes += 4) {
    scene.clock.advance(4 * 60);
    await saySomething(both);
  }
  scene.clock.advance(4 * 60);
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('session_expired');
  await caller.closed;
});

test('a client that answers no ping is gone, one that answers stays', async () => {
  const [deaf, well] = [await opened('live-deaf', { ignoresPings: true }), await opened('live-well')];
  const pinged = once(well.caller.socket, 'ping');
  scene.clock.advance(21);
  await pinged;
  // Its pong arrives before its event.
  await saySomething(well);
  scene.clock.advance(21);
  expect((await deaf.caller.closed).code).toBe(1006);
  await expect.poll(() => deaf.session.closed).toBeDefined();
  await saySomething(well);
  await closeRealtime(well.caller);
});

test('a client that reads nothing is disconnected, even if it sends events', async () => {
  const { caller, session } = await opened('live+tokens-20000');
  caller.send({ type: 'response.create' });
  await caller.waitForEvent('response.created');
  caller.socket.pause();
  const startedAt = scene.clock.elapsed();
  // Until all buffers are full, each ping finds that it has taken something.
  while (session.closed === undefined) {
    const receivedCount = session.receivedEvents.length;
    caller.send({ type: 'input_audio_buffer.clear' });
    const isHeard = () => session.closed !== undefined || session.receivedEvents.length > receivedCount;
    await expect.poll(isHeard, { interval: 20 }).toBe(true);
    scene.clock.advance(21);
  }
  // An hour would have ended it in any case.
  expect(scene.clock.elapsed() - startedAt).toBeLessThan(55 * 60_000);
  await scene.waitUntilSettled();
  caller.socket.terminate();
});

test('the session of an upstream that reads nothing ends, even if it sends events', async () => {
  const { caller, session } = await opened('live-unread');
  session.socket.pause();
  const large = { type: 'x', audio: 'a'.repeat(5 * 1024 * 1024) };
  // More than the kernel's buffers take.
  for (let nth = 0; nth < 8; nth += 1) caller.send(large);
  for (let last = -1; last !== caller.socket.bufferedAmount; ) {
    last = caller.socket.bufferedAmount;
    await sleep(systemTimers, 200);
  }
  expect(caller.socket.bufferedAmount).toBeGreaterThan(0);
  for (let pings = 0; pings < 3 && caller.socket.readyState === 1; pings += 1) {
    const receivedCount = caller.events.length;
    session.send({ type: 'still-here' });
    const isHeard = () => caller.socket.readyState !== 1 || caller.events.length > receivedCount;
    await expect.poll(isHeard, { interval: 20 }).toBe(true);
    scene.clock.advance(21);
  }
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('upstream_error');
  caller.socket.terminate();
  await scene.waitUntilSettled();
});

test('makes the upstream wait until its holds are confirmed instead of collecting its messages', async () => {
  const MESSAGES = 64;
  const { caller, session } = await opened('live-unconfirmed');
  const { promise, resolve } = Promise.withResolvers<void>();
  const confirming = vi.spyOn(scene.ctx.ledger, 'confirmHolds').mockReturnValue(promise);
  onTestFinished(() => confirming.mockRestore());
  let taken = 0;
  const megabyte = JSON.stringify({ type: 'x', text: 'a'.repeat(1_048_576) });
  for (let nth = 0; nth < MESSAGES; nth += 1) session.socket.send(megabyte, { binary: false }, () => (taken += 1));
  const takenSoon = async (): Promise<number> => {
    await sleep(systemTimers, 100);
    return taken;
  };
  await expect.poll(() => confirming.mock.calls.length).toBe(1);
  let [last, now] = [0, await takenSoon()];
  while (now !== last) [last, now] = [now, await takenSoon()];
  // The kernel's buffers of a connection take some megabytes.
  expect(now).toBeLessThan(MESSAGES / 2);
  confirming.mockReturnValue(undefined);
  resolve();
  await expect.poll(() => caller.events.length).toBe(MESSAGES + 1);
  await closeRealtime(caller);
  await scene.waitUntilSettled();
});

test('an upstream that does not respond to the upgrade is abandoned', async () => {
  await scene.newChannel({
    models: ['slow-first-byte'],
    base_url: upstream.url,
    deadlines: deadlines.parse({ connect: 1, first_byte: 1 }),
  });
  const { rejection } = connectRealtime(scene, 'slow-first-byte');
  await expect.poll(() => upstream.unanswered).toBe(1);
  scene.clock.advance(2);
  const { status } = await rejection;
  expect(status).toBe(504);
  await scene.waitUntilSettled();
});

test('notifies its client when the gateway stops, and ends within seconds', async () => {
  const other = await startRelayScene();
  await other.newChannel({ models: ['live*'], base_url: upstream.url });
  const caller = connectRealtime(other, 'live-stopping');
  await caller.waitForEvent('session.created');
  const from = performance.now();
  const stopped = other.close();
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('gateway_stopping');
  expect((await caller.closed).code).toBe(1001);
  await stopped;
  expect(performance.now() - from).toBeLessThan(10_000);
});

test('takes one of the places among the requests at the same time, and gives it back', async () => {
  const limit = (value: string) =>
    scene.admin.api(settings).updateMany({ body: [{ key: 'ConcurrencyPerUser', value }] });
  await limit('1');
  const { caller } = await opened('live-place');
  expect((await connectRealtime(scene, 'live-place').rejection).status).toBe(429);
  await closeRealtime(caller);
  await scene.waitUntilSettled();
  const again = await opened('live-place');
  await closeRealtime(again.caller);
  await limit('0');
});
