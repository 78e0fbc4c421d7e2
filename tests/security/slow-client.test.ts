/** A client that does not read, or does not write, costs its own connection only, and not for long. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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

async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    if (await condition()) return true;
    await pause(50);
  }
  return false;
}

test('a client that reads nothing of a stream for 30 s is given up, and its connection closed', async () => {
  const before = await connections();
  askAndNotRead(true);
  expect(await until(() => (scene.upstream.requests.at(-1)?.piecesSent ?? 0) > 0, 5_000)).toBe(true);
  // The upstream is paused by then.
  await pause(1_000);
  scene.clock.advance(31);
  expect(await until(() => scene.ctx.ledger.openHolds === 0, 2_000)).toBe(true);
  expect(await until(async () => (await connections()) <= before, 2_000)).toBe(true);
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'estimated' });
});

test('a client that reads nothing of a whole answer loses its connection', { timeout: 60_000 }, async () => {
  const before = await connections();
  askAndNotRead(false);
  expect(await until(async () => (await connections()) > before, 2_000)).toBe(true);
  expect(await until(async () => (await connections()) <= before, 45_000)).toBe(true);
});

test('a client that never ends its headers loses its connection within 15 s', async () => {
  const socket = open('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n').resume();
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  expect(await Promise.race([closed, pause(16_000)])).toBe('closed');
});
