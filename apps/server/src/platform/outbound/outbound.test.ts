import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { createOutbound, LARGE_ANSWER_BYTES } from './outbound.ts';

let inside: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  inside = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  port = await listen(inside);
});
afterAll(() => inside.close());

const request = { method: 'GET', headers: {}, timeoutMs: 2_000 } as const;

test.each([
  ['an address', () => ({ url: `http://localhost:${port}/`, proxy: '' })],
  ['an HTTP proxy', () => ({ url: 'http://example.com/', proxy: `http://localhost:${port}` })],
  ['an HTTP proxy for HTTPS', () => ({ url: 'https://example.com/', proxy: `http://localhost:${port}` })],
  ['a SOCKS proxy', () => ({ url: 'http://example.com/', proxy: `socks5://localhost:${port}` })],
  ['a SOCKS proxy that resolves names', () => ({ url: 'http://example.com/', proxy: `SOCKS5h://localhost:${port}` })],
])('connects to no internal name as %s, regardless of the check when it was saved', async (_what, target) => {
  const outbound = createOutbound([]);
  await expect(outbound.fetchJson({ ...request, ...target() })).rejects.toThrow();
  await outbound.close();
  expect(connections).toBe(0);
});

test('connects to a proxy inside that the operator allows', async () => {
  const outbound = createOutbound(['localhost']);
  await expect(
    outbound.fetchJson({ ...request, url: 'http://example.com/', proxy: `http://localhost:${port}` }),
  ).rejects.toThrow();
  await outbound.close();
  expect(connections).toBeGreaterThan(0);
});

test('tunnels by HTTP/1.1 through a proxy that offers HTTP/2 as well', async () => {
  const trusted = getCACertificates('default');
  const [ofProxy, ofSite] = [createSelfSignedCertificate('localhost'), createSelfSignedCertificate('127.0.0.1')];
  setDefaultCACertificates([...trusted, ofProxy.cert, ofSite.cert]);
  const site = createHttpsServer(ofSite, (_request, response) => response.end('{}'));
  const sitePort = await listen(site);
  const tunnels: unknown[] = [];
  const proxy = createHttpsServer({ ...ofProxy, ALPNProtocols: ['h2', 'http/1.1'] });
  proxy.on('connect', (asked, socket: TLSSocket) => {
    tunnels.push([socket.alpnProtocol, asked.url]);
    const upstream = connect(sitePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const side of [socket, upstream]) side.on('error', () => side.destroy());
  });
  const address = `https://localhost:${await listen(proxy)}`;
  const outbound = createOutbound(['127.0.0.1']);
  onTestFinished(async () => {
    setDefaultCACertificates(trusted);
    await outbound.close();
    for (const server of [site, proxy]) server.close();
  });
  const url = `https://127.0.0.1:${sitePort}/`;
  expect((await outbound.fetchJson({ ...request, url, proxy: address })).json).toEqual({});
  const host = { host: '127.0.0.1', port: sitePort };
  const { trusted: isTrusted } = await outbound.fetchCertificate(host, address, AbortSignal.timeout(2_000));
  expect(isTrusted).toBe(true);
  const tunnel = ['http/1.1', `127.0.0.1:${sitePort}`];
  expect(tunnels).toEqual([tunnel, tunnel]);
});

test('public-only requests reach no private address, regardless of the allow list, except through the operator’s proxy', async () => {
  const outbound = createOutbound(['*', 'localhost', '127.0.0.1']);
  const to = (url: string, proxy = '') =>
    outbound.public.open({ method: 'GET', url, headers: {}, proxy, signal: AbortSignal.timeout(2_000) });
  connections = 0;
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    await expect(to(`http://${host}:${port}/`)).rejects.toThrow('is not a public address');
    const client = outbound.public.connect(`http://${host}:${port}`, 2_000);
    await expect(client.request({ path: '/', method: 'GET' })).rejects.toThrow('is not a public address');
    await client.destroy();
  }
  await expect(to('http://10.0.0.1/', `http://localhost:${port}`)).rejects.toThrow('is not a public address');
  expect(connections).toBe(0);
  await expect(to('http://example.com/', `http://localhost:${port}`)).rejects.toThrow();
  await outbound.close();
  expect(connections).toBeGreaterThan(0);
});

test('dials no address and no name inside, unless the operator allows it', async () => {
  connections = 0;
  const closed = createOutbound([]);
  const never = new AbortController().signal;
  for (const host of ['127.0.0.1', 'localhost'])
    await expect(closed.dial(host, port, never)).rejects.toThrow('is not a public address');
  expect(connections).toBe(0);
  const open = createOutbound(['localhost']);
  const socket = await open.dial('localhost', port, never);
  socket.destroy();
  await expect.poll(() => connections).toBe(1);
  await Promise.all([closed.close(), open.close()]);
});

test('aborts a connection attempt when its signal is aborted', async () => {
  const outbound = createOutbound(['*']);
  await expect(outbound.dial('example.com', 25, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  // An address of documentation, which nothing answers.
  await expect(outbound.dial('192.0.2.1', 25, AbortSignal.timeout(50))).rejects.toThrow();
  await outbound.close();
});

test('keeps the connections of a bounded number of proxy sessions', async () => {
  const outbound = createOutbound([]);
  const dispatcher = (session: string) =>
    outbound.getProxyDispatcher(`http://u-${session}@proxy.test`, 'http://x.test');
  const first = dispatcher('first');
  expect(dispatcher('first')).toBe(first);
  for (let nth = 0; nth < 600; nth += 1) dispatcher(String(nth));
  expect(dispatcher('first')).not.toBe(first);
  expect(outbound.getProxyDispatcher('http://u-{session}@proxy.test', 'http://x.test')).toBe(dispatcher('gateway'));
  await outbound.close();
});

test('refuses a response larger than the call allows', async () => {
  const server = createHttpServer((_request, response) => response.end('x'.repeat(300_000)));
  const outbound = createOutbound(['127.0.0.1']);
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  const call = { ...request, url: `http://127.0.0.1:${await listen(server)}/`, proxy: '' };
  await expect(outbound.fetchJson(call)).rejects.toThrow('The response is too large');
  expect((await outbound.fetchJson({ ...call, maxBytes: 300_000 })).text).toHaveLength(300_000);
});

test('counts a response against the memory budget until it has been read', async () => {
  const server = createHttpServer((_request, response) => response.end('x'.repeat(100_000)));
  const outbound = createOutbound(['127.0.0.1']);
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  const holds: number[] = [];
  let room = 1_000_000;
  outbound.limitMemory(() => {
    const nth = holds.push(0) - 1;
    return {
      grow(bytes) {
        if ((holds[nth] ?? 0) + bytes > room) throw new Error('full');
        holds[nth] = (holds[nth] ?? 0) + bytes;
      },
      release: () => void (holds[nth] = -(holds[nth] ?? 0)),
    };
  });
  const call = { ...request, url: `http://127.0.0.1:${await listen(server)}/`, proxy: '' };
  expect((await outbound.fetchJson(call)).text).toHaveLength(100_000);
  expect(holds).toEqual([-300_000]);
  room = 200_000;
  await expect(outbound.fetchJson(call)).rejects.toMatchObject({ code: 'unavailable' });
  expect(holds[1]).toBeLessThan(0);
  // The caller counts it.
  await outbound.fetchJson({ ...call, count: () => {} });
});

test('parses a response once', async () => {
  const server = createHttpServer((_request, response) => response.end('{"a":1}'));
  const outbound = createOutbound(['127.0.0.1']);
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  const answer = await outbound.fetchJson({ ...request, url: `http://127.0.0.1:${await listen(server)}/`, proxy: '' });
  expect(answer.json).toBe(answer.json);
});

test.each([
  ['lists', `[${'[],'.repeat(600_000)}1]`, undefined],
  ['nested lists', '['.repeat(2_000_000) + ']'.repeat(2_000_000), undefined],
  ['members of an object', `{${Array.from({ length: 200_000 }, (_, nth) => `"${nth}":1`).join()}}`, undefined],
  ['no JSON', 'no', undefined],
  ['a small answer', '{"a":1}', { a: 1 }],
])('parses JSON unless it has too much structure: %s', async (_what, text, json) => {
  const server = createHttpServer((_request, response) => response.end(text));
  const outbound = createOutbound(['127.0.0.1']);
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  const answer = await outbound.fetchJson({ ...request, url, proxy: '', maxBytes: LARGE_ANSWER_BYTES });
  expect(answer.text).toHaveLength(text.length);
  // Not printed where it differs: it may be large.
  expect(JSON.stringify(answer.json)?.slice(0, 100)).toBe(JSON.stringify(json));
});

describe('names that no name server resolves', () => {
  /** libuv’s threads for lookups. */
  const THREADS = 2;
  type Addresses = { address: string; family: number }[];
  const here: Addresses = [{ address: '127.0.0.1', family: 4 }];

  /** Replaces the C library’s lookups: `good-….test` is this machine, other names block their thread until the end. */
  function scriptLookups(): void {
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    let stuck = 0;
    const lookUp = async (host: string): Promise<Addresses> => {
      if (stuck === THREADS) return ended.promise;
      if (host.startsWith('good-')) return here;
      stuck += 1;
      return ended.promise;
    };
    const { lookup } = dns;
    const { lookup: lookupPromise } = dnsPromises;
    const set = (one: unknown, other: unknown): void => {
      Reflect.set(dns, 'lookup', one);
      Reflect.set(dnsPromises, 'lookup', other);
      syncBuiltinESMExports();
    };
    const withCallback = callbackify(lookUp);
    type Done = Parameters<typeof withCallback>[1];
    set((host: string, _options: object, done: Done) => withCallback(host, done), lookUp);
    onTestFinished(() => {
      set(lookup, lookupPromise);
      ended.reject(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }));
    });
  }

  test.each([
    ['the webhooks of users', (nth: number) => ({ isPublic: true, host: `dead-${nth}.test` })],
    ['one vendor', () => ({ isPublic: false, host: 'dead.test' })],
    ['several vendors', (nth: number) => ({ isPublic: false, host: `dead-${nth}.test` })],
  ])('delay no connection to a vendor that was resolved before when they are of %s', async (what, deadOf) => {
    const server = createHttpServer((_request, response) => {
      response.setHeader('connection', 'close').end('{}');
    });
    const good = `http://good-${what.replaceAll(' ', '-')}.test:${await listen(server)}/`;
    const outbound = createOutbound(['127.0.0.1']);
    onTestFinished(() => void server.close());
    scriptLookups();
    const call = () => outbound.fetchJson({ ...request, url: good, proxy: '' });
    expect((await call()).status).toBe(200);
    const signal = AbortSignal.timeout(request.timeoutMs);
    const dead = Array.from({ length: 10 }, (_, nth) => {
      const { isPublic, host } = deadOf(nth);
      const ways = isPublic ? outbound.public : outbound;
      return ways.open({ method: 'GET', url: `http://${host}/`, headers: {}, proxy: '', signal });
    });
    for (const one of dead) one.catch(() => {});
    expect((await call()).status).toBe(200);
  });
});
