import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { RelayError } from '../http/relay-error.ts';
import { readBody, readSmallBody } from './read-request-body.ts';

const MAX_BYTES = 1_048_576;
const budget = { grow: () => {}, leave: () => {} };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const readWhole = (request: IncomingMessage): Promise<unknown> => readBody(request, MAX_BYTES, budget);

/** Sends a body in chunks. @returns what the server has read, and the client's socket */
async function send(chunks: readonly string[], { end = '0\r\n\r\n', read = readWhole } = {}) {
  const server = createServer();
  const reading = once(server, 'request').then(([request]: IncomingMessage[]) =>
    request === undefined ? undefined : read(request),
  );
  const outcome = reading.catch((error: unknown) => error);
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  closing.push(() => {
    socket.destroy();
    server.close();
  });
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  socket.write(chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('') + end);
  return { outcome: await outcome, socket };
}

test('a body that comes in many pieces is read', async () => {
  const chunks = Array.from({ length: 20_000 }, (_, nth) => `${nth}`.padStart(20));
  const { outcome } = await send(chunks);
  expect(String(outcome) === chunks.join('')).toBe(true);
});

test('a client that sends byte after byte has its connection closed', async () => {
  const { outcome, socket } = await send(
    Array.from({ length: 20_000 }, () => ' '),
    { end: '' },
  );
  expect(outcome).toBeInstanceOf(RelayError);
  expect(outcome).toMatchObject({ code: 'invalid_request' });
  await expect.poll(() => socket.closed).toBe(true);
});

test.each([
  ['values', `{"ids":[${'0,'.repeat(20_000)}`, 'more than 10000 values'],
  ['nested lists', `{"ids":${'['.repeat(100)}`, 'nested deeper than 64 levels'],
  ['characters in a name', `{"${'k'.repeat(5_000)}":1`, 'A field name has more than 4096 characters. Shorten it.'],
])('refuses a small body with too many %s before it is parsed', async (_, body, message) => {
  // The body is incomplete, which is found first if it is parsed.
  const { outcome } = await send([body], { read: readSmallBody });
  expect(outcome).toBeInstanceOf(RelayError);
  expect(String(outcome)).toContain(message);
});

test.each([
  ['', 'The request body is empty. Send JSON.'],
  ['{"ids":', 'The request body is not valid JSON: Unexpected end of JSON input.'],
  [
    '{"a":1 "b":1}',
    "The request body is not valid JSON: Expected ',' or '}' after property value in JSON at position 7.",
  ],
  ['["a"]', 'The request body must be a JSON object, not an array.'],
])('says why it refuses the small body %s', async (body, message) => {
  const { outcome } = await send([body], { read: readSmallBody });
  expect(outcome).toMatchObject({ code: 'invalid_request', message });
});

test('reads a small body with the ids of tasks', async () => {
  const { outcome } = await send([JSON.stringify({ ids: ['one', 'two'] })], { read: readSmallBody });
  expect(outcome).toEqual({ ids: ['one', 'two'] });
});
