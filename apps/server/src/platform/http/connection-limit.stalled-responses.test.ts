import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { sleep, systemTimers } from '../clock.ts';
import { endStalledResponses } from './connection-limit.ts';

const SILENCE_MS = 100;
const piece = 'x'.repeat(65_536);

async function serve(answer: () => unknown): Promise<{ port: number; connections: () => Promise<number> }> {
  const app = Fastify();
  endStalledResponses(app, SILENCE_MS);
  app.get('/', async (_request, reply) => reply.type('text/plain').send(answer()));
  await app.ready();
  const port = await listen(app.server);
  onTestFinished(() => app.close());
  return {
    port,
    connections: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
  };
}

const endless = (): Readable =>
  Readable.from(
    (async function* () {
      for (;;) yield piece;
    })(),
  );

test.each([
  ['in pieces', endless],
  ['as a whole', () => 'x'.repeat(32 * 1_048_576)],
])('an answer %s is ended when its reader takes nothing', async (_how, answer) => {
  const { port, connections } = await serve(answer);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  socket.pause();
  await expect.poll(connections, { timeout: 10_000 }).toBe(0);
});

test('a response continues as long as its reader accepts data', async () => {
  const { port } = await serve(endless);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const reader = response.body?.getReader();
  for (let nth = 0; nth < 5; nth += 1) {
    await sleep(systemTimers, SILENCE_MS / 2);
    for (let taken = 0; taken < 100; taken += 1) expect((await reader?.read())?.done).toBe(false);
  }
  await reader?.cancel();
});
