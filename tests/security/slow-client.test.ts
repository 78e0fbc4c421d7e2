/** A client that does not read or write affects only its own connection, for a limited time. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

const LAST_READ_MS = 15_000;
const HEADERS_MS_MAX = 10_000;
const LOOKS_WITHOUT_CHANGE = 20;

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

/** Requests a response of about 10 MB and never reads it. */
function askAndNotRead(stream: boolean): Socket {
  const model = 'scripted+tokens-1000000';
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x' }] });
  const head = `host: x\r\nauthorization: Bearer ${scene.key}\r\ncontent-type: application/json`;
  return open(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`).pause();
}

/** Waits until the upstream is paused because its client does not read. */
async function untilPaused(): Promise<void> {
  let [last, unchanged] = [-1, 0];
  await vi.waitUntil(
    () => {
      const sent = scene.upstream.requests.at(-1)?.piecesSent ?? 0;
      unchanged = sent === last ? unchanged + 1 : 0;
      last = sent;
      return unchanged === LOOKS_WITHOUT_CHANGE;
    },
    { timeout: 60_000, interval: 50 },
  );
}

const connections = () =>
  new Promise<number>((resolve) => scene.app.server.getConnections((_error, count) => resolve(count)));

test('a client that reads nothing of a stream for 30 s is aborted, and its connection closed', async () => {
  const before = await connections();
  askAndNotRead(true);
  await expect.poll(() => scene.upstream.requests.at(-1)?.piecesSent ?? 0).toBeGreaterThan(0);
  await untilPaused();
  scene.clock.advance(31);
  await expect.poll(() => scene.ctx.ledger.openHolds).toBe(0);
  await expect.poll(connections).toBeLessThanOrEqual(before);
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'estimated' });
});

test('a client that reads nothing of a non-streaming response loses its connection after 15 s', async () => {
  const before = await connections();
  const accepted = once(scene.app.server, 'connection') as Promise<[Socket]>;
  askAndNotRead(false);
  const [socket] = await accepted;
  // The deadline begins with the response. Node.js would end the socket after it.
  await expect.poll(() => socket.timeout).toBe(LAST_READ_MS);
  expect(await connections()).toBeGreaterThan(before);
  socket.emit('timeout');
  await expect.poll(connections).toBeLessThanOrEqual(before);
});

test('a client that never ends its headers loses its connection within 15 s', async () => {
  const { server } = scene.app;
  const { headersTimeout } = server;
  expect(headersTimeout).toBeLessThanOrEqual(HEADERS_MS_MAX);
  server.headersTimeout = 1;
  const socket = open('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n').resume();
  const openedAt = performance.now();
  await once(socket, 'close');
  // Node.js checks for late headers periodically.
  expect(performance.now() - openedAt).toBeLessThan(15_000 - HEADERS_MS_MAX);
  server.headersTimeout = headersTimeout;
});
