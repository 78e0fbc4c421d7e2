import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { limitConnections } from './connection-limit.ts';

/** Sends requests in one packet. @returns how many were served, and the client's socket */
async function sendAhead(requests: number, isSlow: boolean, headers = 'host: x\r\n') {
  const served: string[] = [];
  const server = createServer((request, response) => {
    if (connections.rejectIfOverLimit(request, response)) return;
    served.push(request.url ?? '');
    if (isSlow) void turn().then(() => response.end(request.url));
    else response.end(request.url);
  });
  const connections = limitConnections(server, { total: 100, perAddress: 100 }, () => false);
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
  socket.write(Array.from({ length: requests }, (_, nth) => `GET /${nth} HTTP/1.1\r\n${headers}\r\n`).join(''));
  return { served, socket, received: () => received };
}

test.each([true, false])('a few requests that are sent ahead are answered in their order', async (isSlow) => {
  const { served, received } = await sendAhead(5, isSlow);
  await expect.poll(received).toMatch(/\/4$/);
  expect(served).toEqual(['/0', '/1', '/2', '/3', '/4']);
});

test.each([
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  ['nothing', ''],
])('closes each unanswered response of a connection that ends with %s', async (_what, last) => {
  const [opened, closed]: [string[], string[]] = [[], []];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (connections.rejectIfOverLimit(request, response)) return;
    opened.push(url);
    response.once('close', () => closed.push(url));
    if (url === '/0') response.end();
  });
  const connections = limitConnections(server, { total: 100, perAddress: 100 }, () => false);
  server.on('upgrade', (_request, socket: Duplex) => socket.destroy());
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void server.close());
  const paths = ['/0', '/1', '/2', '/3'];
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join('') + last);
  await expect.poll(() => opened).toEqual(paths);
  socket.destroy();
  await expect.poll(() => closed.toSorted()).toEqual(paths);
});

test.each([
  ['an unknown expectation', 'host: x\r\nexpect: x\r\n', 417],
  ['no host', '', 400],
])('closes the connection of a client whose requests have %s', async (_what, headers, status) => {
  const { served, socket, received } = await sendAhead(2_000, false, headers);
  await expect.poll(() => socket.closed).toBe(true);
  expect(served).toEqual([]);
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
});

test('counts the connections of one IPv6 network together, and those of IPv4 by address', () => {
  const server = new EventEmitter();
  const connections = limitConnections(server as Server, { total: 100, perAddress: 2 }, () => false);
  const accepted = (remoteAddress: string): boolean => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => {} });
    server.emit('connection', socket);
    return connections.isWithinLimits(socket);
  };
  expect(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map(accepted)).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.1', '::ffff:192.0.2.1'].map(accepted)).toEqual([true, true, true, false]);
});

test.each([true, false])('a client that sends many ahead has its connection closed', async (isSlow) => {
  const { served, socket } = await sendAhead(2_000, isSlow);
  await expect.poll(() => socket.closed).toBe(true);
  expect(served.length).toBeLessThan(20);
});

/** Sends a body in chunks to a server that answers before it has read it. */
async function sendChunks(chunk: string, count: number, isRead: boolean, isProxy = false) {
  const chunks = { received: 0 };
  const server = createServer((request, response) => {
    if (connections.rejectIfOverLimit(request, response)) return;
    if (isRead) request.on('data', () => (chunks.received += 1));
    response.end('early');
  });
  const clock = createTestClock(0);
  const connections = limitConnections(server, { total: 100, perAddress: 100 }, () => isProxy, clock);
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.on('error', () => {});
  socket.resume();
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count));
  const isServed = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  return { socket, chunks, clock, isServed };
}

test.each([true, false])('closes the connection of a client that sends its body in tiny chunks', async (isRead) => {
  const { socket, chunks } = await sendChunks('x', 100_000, isRead);
  await expect.poll(() => socket.closed).toBe(true);
  expect(chunks.received).toBeLessThan(1_100);
});

test('serves no one at the address of such a client for a minute', async () => {
  const { socket, clock, isServed } = await sendChunks('x', 100_000, false);
  await expect.poll(() => socket.closed).toBe(true);
  expect(await isServed()).toBe(false);
  clock.advance(61);
  expect(await isServed()).toBe(true);
});

test('serves the other clients of a proxy', async () => {
  const { socket, isServed } = await sendChunks('x', 100_000, false, true);
  await expect.poll(() => socket.closed).toBe(true);
  expect(await isServed()).toBe(true);
});

test('reads the rest of a body in large chunks after the response', async () => {
  const { socket } = await sendChunks('x'.repeat(1_024), 20_000, false);
  socket.write('0\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await expect.poll(() => socket.closed).toBe(true);
  expect(socket.bytesWritten).toBeGreaterThan(20_000 * 1_024);
  expect(socket.errored).toBeNull();
});
