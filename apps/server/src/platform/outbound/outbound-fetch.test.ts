import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { collectGarbage } from '../../../../../tests/security/collect-garbage.ts';
import { createOutbound } from './outbound.ts';
import { forbidGlobalFetch } from './outbound-fetch.ts';
import { AddressNotAllowedError } from './outbound-guard.ts';

/** `127.0.0.1` may be called, `127.0.0.2` may not. */
const outbound = createOutbound(['127.0.0.1']);
let port: number;
/** As another origin that may be called. */
let otherPort: number;
const servers: Server[] = [];
let seen: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { url = '', method = '', headers } = request;
  seen.push({ url, method, headers, body: Buffer.concat(chunks).toString() });
  const [, kind, to = ''] = /^\/(silence|large|gzip|empty|3\d\d)(?:\?(.*))?$/.exec(url) ?? [];
  if (kind === 'silence') return;
  if (kind === 'large') response.end(Buffer.alloc(1024 * 1024 + 1));
  else if (kind === 'gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'));
  else if (kind === 'empty') response.writeHead(204).end();
  else if (kind === undefined) response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  else response.writeHead(Number(kind), { location: decodeURIComponent(to) }).end();
}

function start(): Promise<number> {
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  return listen(server, '0.0.0.0');
}

beforeAll(async () => {
  port = await start();
  otherPort = await start();
});
afterAll(async () => {
  await outbound.close();
  for (const server of servers) server.close();
});

const own = (path: string): string => `http://127.0.0.1:${port}${path}`;
const redirect = (status: number, to: string): string => own(`/${status}?${encodeURIComponent(to)}`);
const credentials = { authorization: 'Bearer secret', 'x-api-key': 'secret', cookie: 'a=secret' };

test('brings an answer as fetch does', async () => {
  const response = await outbound.fetch(own('/path'), { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ ok: true });
  expect(seen.at(-1)).toMatchObject({ method: 'POST', body: 'a=b' });
  expect(seen.at(-1)?.headers['content-type']).toContain('application/x-www-form-urlencoded');
  expect((await outbound.fetch(own('/empty'))).status).toBe(204);
});

test.each(['http://127.0.0.2', 'http://[::1]', 'http://2130706434', 'http://metadata.google.internal.'])(
  'calls %s neither at once nor after a redirect',
  async (address) => {
    const target = `${address}:${port}/`;
    seen = [];
    await expect(outbound.fetch(target)).rejects.toThrow(AddressNotAllowedError);
    await expect(outbound.fetch(redirect(302, target))).rejects.toThrow(AddressNotAllowedError);
    expect(seen).toHaveLength(1);
  },
);

test.each([
  ['file:///etc/passwd', 'The scheme file: is not supported. Use an http or https address.'],
  ['ftp://127.0.0.1/', 'The scheme ftp: is not supported. Use an http or https address.'],
  ['http://user:pass@127.0.0.1/', 'The address of 127.0.0.1 contains a username or password. Remove them.'],
  ['data:,x', 'The scheme data: is not supported. Use an http or https address.'],
])('does not call %s, and says why', async (address, reason) => {
  await expect(outbound.fetch(address)).rejects.toThrow();
  await expect(outbound.fetch(redirect(302, address))).rejects.toThrow(new AddressNotAllowedError(reason));
});

test('follows three redirects and no fourth', async () => {
  const chain = (length: number): string => (length === 0 ? own('/') : redirect(302, chain(length - 1)));
  expect((await outbound.fetch(chain(3))).status).toBe(200);
  await expect(outbound.fetch(chain(4))).rejects.toThrow('too many');
});

test('hands over a redirect, or refuses it, when the caller wants it so', async () => {
  expect((await outbound.fetch(redirect(302, own('/')), { redirect: 'manual' })).status).toBe(302);
  await expect(outbound.fetch(redirect(302, own('/')), { redirect: 'error' })).rejects.toThrow('redirect');
});

test('sends credentials on to the same host only', async () => {
  await outbound.fetch(redirect(302, own('/same')), { headers: credentials });
  expect(seen.at(-1)?.headers).toMatchObject(credentials);
  await outbound.fetch(redirect(302, `http://127.0.0.1:${otherPort}/other`), {
    headers: { ...credentials, accept: 'application/json' },
  });
  expect(seen.at(-1)?.url).toBe('/other');
  expect(JSON.stringify(seen.at(-1)?.headers)).not.toContain('secret');
  expect(seen.at(-1)?.headers.accept).toBe('application/json');
});

test('sends a body on to the same host only', async () => {
  const sent = { method: 'POST', body: 'client_secret=x' };
  await outbound.fetch(redirect(307, own('/same')), sent);
  expect(seen.at(-1)).toMatchObject({ url: '/same', method: 'POST', body: sent.body });
  await outbound.fetch(redirect(303, own('/same')), sent);
  expect(seen.at(-1)).toMatchObject({ url: '/same', method: 'GET', body: '' });
  seen = [];
  const elsewhere = redirect(307, `http://127.0.0.1:${otherPort}/other`);
  await expect(outbound.fetch(elsewhere, sent)).rejects.toThrow('another host');
  expect(seen).toHaveLength(1);
});

test('reads no more than a megabyte, and inflates nothing', async () => {
  await expect(outbound.fetch(own('/large'))).rejects.toThrow('too large');
  await expect(outbound.fetch(own('/gzip'))).rejects.toThrow('compressed');
});

test('ends with the caller', async () => {
  await expect(outbound.fetch(own('/'), { signal: AbortSignal.abort() })).rejects.toThrow();
});

test('ends with the caller also after a collection of garbage', async () => {
  const caller = new AbortController();
  seen = [];
  const pending = outbound.fetch(own('/silence'), { signal: caller.signal });
  await expect.poll(() => seen).toHaveLength(1);
  collectGarbage();
  caller.abort(new Error('The caller is gone'));
  await expect(pending).rejects.toThrow('The caller is gone');
});

test('a library cannot call an address by the global fetch', async () => {
  const own = globalThis.fetch;
  const before = seen.length;
  forbidGlobalFetch();
  try {
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('only through its outbound guard');
  } finally {
    globalThis.fetch = own;
  }
  expect(seen).toHaveLength(before);
});
