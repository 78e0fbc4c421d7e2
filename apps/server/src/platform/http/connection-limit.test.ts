import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { limitConnections } from './connection-limit.ts';

/** Sends requests in one packet. @returns how many were served, and the client's socket */
async function sendAhead(requests: number, isSlow: boolean) {
  const served: string[] = [];
  const server = createServer((request, response) => {
    if (connections.refuses(request, response)) return;
    served.push(request.url ?? '');
    if (isSlow) void turn().then(() => response.end(request.url));
    else response.end(request.url);
  });
  const connections = limitConnections(server, { most: 100, perAddress: 100 }, () => false);
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString();
  });
  socket.write(
    Array.from({ length: requests }, (_, nth) => `GET /${nth} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''),
  );
  return { served, socket, received: () => received };
}

test.each([true, false])('a few requests that are sent ahead are answered in their order', async (isSlow) => {
  const { served, received } = await sendAhead(5, isSlow);
  await vi.waitUntil(() => received().endsWith('/4'));
  expect(served).toEqual(['/0', '/1', '/2', '/3', '/4']);
});

test.each([true, false])('a client that sends many ahead has its connection closed', async (isSlow) => {
  const { served, socket } = await sendAhead(2_000, isSlow);
  await vi.waitUntil(() => socket.closed);
  expect(served.length).toBeLessThan(20);
});
