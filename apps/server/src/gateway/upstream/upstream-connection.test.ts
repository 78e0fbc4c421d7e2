/** Upstreams that stop serving on an open connection, or break it. */

import type { ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { Server } from 'proxy-chain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';

const OPENAI = 1;
const MODEL = 'text-embedding-3-small';
const EMBEDDING = JSON.stringify({
  object: 'list',
  model: MODEL,
  data: [{ object: 'embedding', index: 0, embedding: [1] }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
});
const trusted = getCACertificates('default');
const certificate = createSelfSignedCertificate('127.0.0.1');
const upstream = createServer(certificate, (request, response) => {
  request.resume().on('end', () => serve(response));
});
const sockets = new Set<TLSSocket>();
let opened = 0;
let serve: (response: ServerResponse) => void = answer;
let scene: RelayScene;
let url: string;

upstream.on('secureConnection', (socket) => {
  opened += 1;
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket));
});

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert]);
  url = `https://127.0.0.1:${await listen(upstream)}`;
  scene = await startRelayScene();
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await scene.close();
  upstream.close();
});
beforeEach(async () => {
  await scene.reset();
  await scene.newChannel({ type: OPENAI, base_url: `${url}/v1`, models: [MODEL] });
  serve = answer;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => sockets.size).toBe(0);
  opened = 0;
});

function answer(response: ServerResponse): void {
  response.setHeader('content-type', 'application/json').end(EMBEDDING);
}

const embed = (signal?: AbortSignal) =>
  scene.post('/v1/embeddings', { model: MODEL, input: 'x'.repeat(100_000) }, signal === undefined ? {} : { signal });

async function listFiles(channel: number): Promise<Response> {
  const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
  return fetch(`${scene.url}/v1/files`, { headers: { authorization: `Bearer ${key}#${channel}` } });
}

describe('an upstream that stops responding on an open connection', () => {
  /** Leaves one connection free on which nothing is served any more. */
  async function leaveStuckConnection(): Promise<void> {
    expect((await embed()).status).toBe(200);
    await expect.poll(() => sockets.size).toBe(1);
    serve = () => {};
  }

  test('keeps no connection after the deadline, and the next request gets a new one', async () => {
    await leaveStuckConnection();
    expect((await advanceWhile(scene.clock, 10, embed())).status).toBe(504);
    await expect.poll(() => sockets.size).toBe(0);
    serve = answer;
    expect((await embed()).status).toBe(200);
    expect([opened, sockets.size]).toEqual([2, 1]);
  });

  test('keeps no connection when the client leaves', async () => {
    await leaveStuckConnection();
    const leaving = new AbortController();
    const left = scene.waitForDisconnect();
    const pending = embed(leaving.signal);
    await expect.poll(() => scene.ctx.ledger.openHolds).toBe(1);
    leaving.abort();
    await Promise.all([pending.catch(() => undefined), left]);
    await scene.waitUntilSettled();
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('keeps no connection of a passthrough request after its deadline', async () => {
    const channel = await scene.newChannel({ type: OPENAI, base_url: `${url}/v1`, models: ['files'] });
    expect((await listFiles(channel)).status).toBe(200);
    serve = () => {};
    expect((await advanceWhile(scene.clock, 60, listFiles(channel))).status).toBe(504);
    await expect.poll(() => sockets.size).toBe(0);
  });
});

test('an upstream that prefers HTTP/2 is called by HTTP/1.1', async () => {
  const versions: string[] = [];
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    request.resume().on('end', () => response.end(EMBEDDING));
  });
  const base_url = `https://127.0.0.1:${await listen(server)}/v1`;
  onTestFinished(() => void server.close());
  await scene.newChannel({ type: OPENAI, base_url, models: ['modern'] });
  const post = () => scene.post('/v1/embeddings', { model: 'modern', input: 'x' });
  expect([(await post()).status, (await scene.ctx.outbound.fetch(base_url)).status]).toEqual([200, 200]);
  expect(versions).toEqual(['1.1', '1.1']);
});

describe('an upstream that breaks a connection', () => {
  const breaks: readonly [string, string][] = [
    ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['an invalid length', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'],
    ['a closed connection', ''],
  ];
  let proxy: Server;
  beforeAll(async () => {
    proxy = new Server({ port: 0, host: '127.0.0.1' });
    await proxy.listen();
  });
  afterAll(() => proxy.close(true));

  /** Starts an upstream whose first connection ends like that. */
  async function startBreaking(sent: string) {
    let connections = 0;
    const server = createTlsServer(certificate, (socket) => {
      socket.on('error', () => {});
      connections += 1;
      if (connections > 1) return void upstream.emit('secureConnection', socket);
      socket.once('data', () => socket.end(sent));
    });
    const base_url = `https://127.0.0.1:${await listen(server)}/v1`;
    onTestFinished(() => void server.close());
    return base_url;
  }

  test.each(breaks.flatMap(([what, sent]) => ['directly', 'through a proxy'].map((way) => [what, way, sent] as const)))(
    'fails one attempt by %s %s, and no other',
    async (_what, way, sent) => {
      const base_url = await startBreaking(sent);
      const through = way === 'directly' ? '' : `http://127.0.0.1:${proxy.port}`;
      const channel = { type: OPENAI, base_url, models: ['shared'], proxy: through };
      const channels = [await scene.newChannel(channel), await scene.newChannel(channel)];
      const { status } = await scene.post('/v1/embeddings', { model: 'shared', input: 'x' });
      await scene.waitUntilSettled();
      const [record] = await scene.records();
      const { attempts } = JSON.parse(record?.detail ?? '{}');
      expect(status).toBe(200);
      expect(attempts).toMatchObject([{ outcome: 'unreachable' }, { outcome: 'answered' }]);
      const failures = channels.map((id) => getChannelHealth(scene.ctx).get(id, 'shared').failuresInRow);
      expect(failures.toSorted((one, other) => one - other)).toEqual([0, 1]);
    },
  );
});
