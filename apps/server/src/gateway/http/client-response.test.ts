import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { type ClientResponse, createClientResponse } from './client-response.ts';

async function serve(answer: (client: ClientResponse) => void): Promise<number> {
  const server = createServer((_request, response) => answer(createClientResponse(response, 'request-1')));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** All that comes until the server closes the connection. */
async function rawAnswer(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(request);
  let text = '';
  for await (const bytes of socket) text += String(bytes);
  return text;
}

const pieces = ['data: 1\n\n', '', 'data: 中🐻\n\n', 'x'.repeat(70_000)];

function stream(client: ClientResponse): void {
  for (const [index, piece] of pieces.entries())
    client.write('text/event-stream', index % 2 === 0 ? Buffer.from(piece) : piece);
  client.comment('text/event-stream', ': waiting\n\n');
  client.end('');
}

const whole = `${pieces.join('')}: waiting\n\n`;

test('a stream arrives as it was written, and its connection serves the next request', async () => {
  const port = await serve(stream);
  const request = (more: string): string => `POST / HTTP/1.1\r\nhost: x\r\n${more}content-length: 0\r\n\r\n`;
  const raw = await rawAnswer(port, request('') + request('connection: close\r\n'));
  expect(raw.match(/^HTTP\/1\.1 200 OK\r\n/gm)).toHaveLength(2);
  expect(raw.match(/\r\ntransfer-encoding: chunked\r\n/gi)).toHaveLength(2);
  expect(raw.match(/\r\n0\r\n\r\n/g)).toHaveLength(2);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe(whole);
});

test('data that is written with the end arrives before it', async () => {
  const port = await serve((client) => {
    client.write('text/event-stream', 'data: 1\n\n');
    client.end('data: 2\n\n');
  });
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe('data: 1\n\ndata: 2\n\n');
});

test('a stream that is broken off does not look complete', async () => {
  const port = await serve((client) => {
    client.write('text/event-stream', 'data: 1\n\n');
    void sleep(systemTimers, 20).then(() => client.disconnect());
  });
  const answer = await fetch(`http://127.0.0.1:${port}`);
  await expect(answer.text()).rejects.toThrow();
});

test('a client of HTTP/1.0, which knows no chunks, gets the bytes and then the end of the connection', async () => {
  const port = await serve(stream);
  const raw = await rawAnswer(port, 'POST / HTTP/1.0\r\ncontent-length: 0\r\n\r\n');
  expect(raw.slice(raw.indexOf('\r\n\r\n') + 4)).toBe(whole);
  expect(raw.toLowerCase()).not.toContain('transfer-encoding');
});
