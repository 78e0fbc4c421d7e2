/** A client that does not read, or does not write, costs its own connection only, and not for long. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

function open(text: string): Socket {
  const socket = connect(Number(new URL(scene.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

/** Asks for an answer of about 10 MB and never reads it. */
function askAndNotRead(stream: boolean): Socket {
  const model = 'scripted+tokens-1000000';
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x' }] });
  const head = `host: x\r\nauthorization: Bearer ${scene.key}\r\ncontent-type: application/json`;
  return open(
    `POST /v1/chat/completions HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  ).pause();
}

const connections = () =>
  new Promise<number>((resolve) => scene.app.server.getConnections((_error, count) => resolve(count)));

test('a client that reads nothing of a stream for 30 s is given up, and its connection closed', async () => {
  const before = await connections();
  askAndNotRead(true);
  await expect
    .poll(() => scene.upstream.requests.at(-1)?.piecesSent ?? 0, { timeout: 5_000 })
    .toBeGreaterThan(0);
  // The upstream is paused by then.
  await pause(1_000);
  scene.clock.advance(31);
  await expect.poll(() => scene.ctx.ledger.openHolds, { timeout: 2_000 }).toBe(0);
  await expect.poll(connections, { timeout: 2_000 }).toBeLessThanOrEqual(before);
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'estimated' });
});

test('a client that reads nothing of a whole answer loses its connection', { timeout: 60_000 }, async () => {
  const before = await connections();
  askAndNotRead(false);
  await expect.poll(connections, { timeout: 2_000 }).toBeGreaterThan(before);
  await expect.poll(connections, { timeout: 45_000 }).toBeLessThanOrEqual(before);
});

test('a client that never ends its headers loses its connection within 15 s', async () => {
  const socket = open('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n').resume();
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  expect(await Promise.race([closed, pause(16_000)])).toBe('closed');
});
