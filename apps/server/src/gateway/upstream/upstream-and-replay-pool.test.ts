import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Server } from 'proxy-chain';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { startSocks5Proxy } from '../../../../../tests/scripted-upstream/socks5.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createUpstreamPool, type PooledHandler, type UpstreamPool } from './upstream-and-replay-pool.ts';
import { UpstreamClients } from './upstream-clients.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(() => scene.close());

test('a channel’s HTTP proxy carries its calls, with user and password', async () => {
  const logins: string[] = [];
  const proxy = new Server({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ username, password }) => {
      logins.push(`${username}:${password}`);
      return { requestAuthentication: username !== 'relay' || (password !== 'p%40ss' && password !== 'p@ss') };
    },
  });
  await proxy.listen();
  await scene.newChannel({ models: ['scripted-http'], proxy: `http://relay:p%40ss@127.0.0.1:${proxy.port}` });
  expect((await scene.chat('scripted-http')).status).toBe(200);
  expect(await (await scene.chat('scripted-http', { stream: true })).text()).toContain('[DONE]');
  expect(logins.length).toBeGreaterThan(0);
  await proxy.close(true);
  expect((await scene.chat('scripted-http')).status).toBe(502);
});

test('a channel’s SOCKS5 proxy carries its calls, with user and password', async () => {
  const proxy = await startSocks5Proxy('relay', 'secret');
  await scene.newChannel({ models: ['scripted-socks'], proxy: proxy.url });
  expect((await scene.chat('scripted-socks')).status).toBe(200);
  expect(proxy.connections).toBe(1);
  proxy.close();
});

test.each(['socks5', 'socks5h', 'SOCKS5h'])('lets the proxy resolve the host of a channel by %s', async (scheme) => {
  await scene.reset();
  const proxy = await startSocks5Proxy('relay', 'secret');
  onTestFinished(() => proxy.close());
  await scene.newChannel({
    base_url: scene.upstream.url.replace('127.0.0.1', 'known-to-the-proxy.test'),
    models: ['scripted-socks'],
    proxy: proxy.url.replace('socks5', scheme),
  });
  expect((await scene.chat('scripted-socks')).status).toBe(200);
  expect(proxy.names).toEqual(['known-to-the-proxy.test']);
});

test('a channel’s own headers reach the upstream, but never replace the credentials', async () => {
  await scene.newChannel({
    models: ['scripted-headers'],
    model_headers: { 'x-team': 'blue', authorization: 'Bearer other' },
  });
  await scene.chat('scripted-headers');
  const headers = scene.upstream.requests.at(-1)?.headers;
  expect(headers).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer sk-upstream' });
});

/** Sends a request. @returns what its handler heard: the status, or the error's code */
function call(pool: UpstreamPool, url: string, proxy = ''): Promise<unknown> {
  return new Promise((resolve) => {
    let status = 0;
    const handler: PooledHandler = {
      release: () => {},
      cancel: () => {},
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        handler.release();
        resolve(status);
      },
      onResponseError: (controller, error) => {
        handler.release(controller, error);
        resolve('code' in error ? error.code : error.message);
      },
    };
    pool.dispatch({ url, headers: [], body: null, method: 'GET', proxy, connectMs: 10_000 }, handler);
  });
}

/** Vendor that keeps connections open for as long as its header says. */
async function startVendor(): Promise<{ url: string; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((_request, response) => {
    // Responds later, so that concurrent requests need separate connections.
    setImmediate(() => response.setHeader('keep-alive', 'timeout=600').end('{}'));
  });
  server.keepAliveTimeout = 600_000;
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, open };
}

test('keeps no more connections than that to all origins together', async () => {
  const MOST = 20;
  const outbound = createOutbound(['127.0.0.1']);
  const clients = new UpstreamClients(MOST);
  const pools = [createUpstreamPool(outbound, clients), createUpstreamPool(outbound, clients)];
  const vendors = await Promise.all(Array.from({ length: 8 }, startVendor));
  onTestFinished(() => clients.closeAll());
  const openCount = () => vendors.reduce((sum, { open }) => sum + open.size, 0);
  for (const [nth, { url }] of vendors.entries()) {
    const pool = pools[nth % pools.length];
    if (pool === undefined) throw new Error('no pool');
    expect(await Promise.all(Array.from({ length: 10 }, () => call(pool, url)))).toEqual(Array(10).fill(200));
    await expect.poll(openCount).toBeLessThanOrEqual(MOST);
  }
  // The newest ones stay open.
  expect(vendors.at(-1)?.open.size).toBe(10);
});

test.each(['EMFILE', 'ENFILE'])('closes the connections that it keeps after %s', async (code) => {
  const outbound = createOutbound(['127.0.0.1']);
  const shortage = Object.assign(new Error(`connect ${code}`), { code });
  const short = new Client('http://short.test', { connect: (_options, done) => done(shortage, null) });
  const clients = new UpstreamClients(100);
  const pool = createUpstreamPool(
    {
      connect: (origin, timeoutMs) =>
        origin === 'http://short.test'
          ? new Client(origin, { connect: (_options, done) => done(shortage, null) })
          : outbound.connect(origin, timeoutMs),
      getProxyDispatcher: () => short,
    },
    clients,
  );
  const vendor = await startVendor();
  onTestFinished(() => clients.closeAll());
  for (const proxy of ['', 'http://proxy.test']) {
    expect(await call(pool, vendor.url)).toBe(200);
    expect(vendor.open.size).toBe(1);
    expect(await call(pool, 'http://short.test/', proxy)).toBe(code);
    await expect.poll(() => vendor.open.size).toBe(0);
  }
});
