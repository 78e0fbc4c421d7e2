import { expect, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { type ClientResponse, createClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { createSendInternalRequest, type InternalRequest } from './internal-request.ts';

const call = (changes: Partial<InternalRequest> = {}): InternalRequest => ({
  path: '/v1/chat/completions',
  body: Buffer.from('{"model":"m"}'),
  requestId: 'request-1',
  address: '203.0.113.1',
  identify() {
    throw new RelayError('invalid_api_key', 'Nobody asks here.');
  },
  ...changes,
});

test('a call is served as one of a client: with its method, path, type and bytes', async () => {
  const callInside = createSendInternalRequest((message, response) => {
    const pieces: Buffer[] = [];
    message.on('data', (piece: Buffer) => pieces.push(piece));
    message.on('end', () => {
      const { method, url, headers } = message;
      const seen = { method, url, type: headers['content-type'], bytes: Buffer.concat(pieces).length };
      createClientResponse(response, 'request-1').send(201, 'application/json', JSON.stringify(seen));
    });
  });
  const body = Buffer.alloc(5_000_000, 32);
  const answer = await callInside(call({ body }));
  expect(answer.status).toBe(201);
  expect(answer.headers['x-request-id']).toBe('request-1');
  expect(JSON.parse(answer.body.toString())).toEqual({
    method: 'POST',
    url: '/v1/chat/completions',
    type: 'application/json',
    bytes: 5_000_000,
  });
});

test('calls that run together get their own answers, large ones whole', async () => {
  const callInside = createSendInternalRequest((_message, response, { requestId }) => {
    const client = createClientResponse(response, requestId);
    void sleep(systemTimers, Math.random() * 20).then(() => client.send(200, 'text/plain', requestId.repeat(100_000)));
  });
  const ids = Array.from({ length: 20 }, (_, nth) => `id-${nth} `);
  const answers = await Promise.all(ids.map((requestId) => callInside(call({ requestId }))));
  expect(answers.map(({ body }) => body.toString())).toEqual(ids.map((id) => id.repeat(100_000)));
});

test('a large body is received in small pieces, and the rest counts as unsent', async () => {
  const body = Buffer.alloc(10_000_000, 'abcdefg');
  let client: ClientResponse | undefined;
  const callInside = createSendInternalRequest((_message, response) => {
    client = createClientResponse(response, 'request-1');
    client.send(200, 'application/json', body);
  });
  const unsent: number[] = [];
  const received: Buffer[] = [];
  const answer = await callInside(
    call({
      async onLargeBody({ status, pieces }) {
        expect(status).toBe(200);
        for await (const piece of pieces) {
          received.push(piece);
          unsent.push(client?.unsentBytes ?? 0);
          await sleep(systemTimers, 0);
        }
      },
    }),
  );
  expect(answer.body).toHaveLength(0);
  expect(Buffer.concat(received).equals(body)).toBe(true);
  expect(Math.max(...received.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  expect(unsent[0]).toBeGreaterThanOrEqual(body.length);
  expect(unsent.at(-1)).toBe(0);
});

test('a failure to receive a large body ends the call, and frees its connection', async () => {
  let client: ClientResponse | undefined;
  const callInside = createSendInternalRequest((_message, response) => {
    client = createClientResponse(response, 'request-1');
    client.send(200, 'application/json', Buffer.alloc(10_000_000, 'a'));
  });
  await expect(callInside(call({ onLargeBody: () => Promise.reject(new Error('no room')) }))).rejects.toThrow(
    'no room',
  );
  await expect.poll(() => client?.hasLeft).toBe(true);
});

test('a short body is returned as a whole', async () => {
  const callInside = createSendInternalRequest((_message, response) =>
    createClientResponse(response, 'request-1').send(200, 'application/json', Buffer.alloc(1_000_000, 'a')),
  );
  const onLargeBody = () => Promise.reject(new Error('not large'));
  expect((await callInside(call({ onLargeBody }))).body).toHaveLength(1_000_000);
});

test('a dropped connection is an error, and no request keeps waiting', async () => {
  const callInside = createSendInternalRequest((_message, response) =>
    createClientResponse(response, 'request-1').disconnect(),
  );
  await expect(callInside(call())).rejects.toThrow('socket hang up');
  const inTheMiddle = createSendInternalRequest((_message, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    void sleep(systemTimers, 10).then(() => response.destroy());
  });
  await expect(inTheMiddle(call())).rejects.toThrow('aborted');
});
