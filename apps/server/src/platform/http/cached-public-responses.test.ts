import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { cacheBytes, sendCachedBytes } from './cached-public-responses.ts';

const text = JSON.stringify({ data: 'a'.repeat(10_000) });
const app = Fastify();
let value = { text };
let encoded = 0;
const bytes = cacheBytes((of: { text: string }) => {
  encoded += 1;
  return of.text;
});
app.get('/', (request, reply) => sendCachedBytes(request, reply, bytes(value)));
const ask = (headers: Record<string, string> = {}) => app.inject({ url: '/', headers });

test('encodes a value once, and again when there is another', async () => {
  await Promise.all([ask(), ask(), ask()]);
  expect(encoded).toBe(1);
  value = { text: '{"data":""}' };
  expect((await ask()).body).toBe('{"data":""}');
  expect(encoded).toBe(2);
  value = { text };
});

test('keeps the bytes of one object while another is requested', () => {
  let calls = 0;
  const read = cacheBytes((value: { text: string } | string) => {
    calls += 1;
    return JSON.stringify(value);
  });
  const [one, other] = [{ text: '1' }, { text: '2' }];
  for (const object of [one, other, one, other]) expect(read(object).plain.toString()).toBe(JSON.stringify(object));
  expect(calls).toBe(2);
  for (const string of ['a', 'a', 'b']) expect(read(string).plain.toString()).toBe(`"${string}"`);
  expect(calls).toBe(4);
});

test('answers 304 without a body to who has the answer', async () => {
  const { headers, body } = await ask();
  const etag = String(headers['etag']);
  expect(body).toBe(text);
  for (const tag of [etag, etag.slice(2), `"other", ${etag}`]) {
    const again = await ask({ 'if-none-match': tag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  }
  expect((await ask({ 'if-none-match': '"other"' })).statusCode).toBe(200);
});

describe('compression', () => {
  test.each([
    ['gzip, deflate, br', true],
    ['br;q=1.0, gzip;q=0.8', true],
    ['gzip;q=0', false],
    ['identity', false],
  ])('with accept-encoding %s is %s', async (accepted, isZipped) => {
    const { headers, rawPayload } = await ask({ 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(isZipped ? 'gzip' : undefined);
    expect((isZipped ? gunzipSync(rawPayload) : rawPayload).toString()).toBe(text);
    expect(headers['vary']).toContain('accept-encoding');
  });
});
