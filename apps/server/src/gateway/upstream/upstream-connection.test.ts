/** Upstreams that speak HTTP/2 and stop serving on a connection that is open. */
import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { selfSigned } from '../../testing/self-signed.ts';

const OPENAI = 1;
const MODEL = 'text-embedding-3-small';
const trusted = getCACertificates('default');
const certificate = selfSigned('127.0.0.1');
const upstream = createSecureServer(certificate);
const sessions = new Set<Http2Session>();
let opened = 0;
/** Requests that arrived. */
let streams = 0;
let serve: (stream: ServerHttp2Stream) => void = answer;
let scene: RelayScene;
let url: string;

upstream.on('session', (session) => {
  opened += 1;
  sessions.add(session);
  session.on('error', () => {});
  session.on('close', () => sessions.delete(session));
});
upstream.on('stream', (stream) => {
  streams += 1;
  stream.on('error', () => {});
  stream.resume().on('end', () => serve(stream));
});

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert]);
  url = `https://127.0.0.1:${await listen(upstream)}`;
  scene = await startRelayScene();
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await scene.close();
  for (const session of sessions) session.destroy();
  upstream.close();
});
beforeEach(async () => {
  await scene.renew();
  await scene.newChannel({ type: OPENAI, base_url: `${url}/v1`, models: [MODEL] });
  serve = answer;
});
afterEach(async () => {
  for (const session of sessions) session.destroy();
  await expect.poll(() => sessions.size).toBe(0);
  opened = 0;
  streams = 0;
});

function answer(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  const data = [{ object: 'embedding', index: 0, embedding: [1] }];
  stream.end(
    JSON.stringify({ object: 'list', model: MODEL, data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
  );
}

const embed = (signal?: AbortSignal) =>
  scene.post(
    '/v1/embeddings',
    { model: MODEL, input: 'x'.repeat(100_000) },
    signal === undefined ? {} : { signal },
  );

async function listFiles(channel: number): Promise<Response> {
  const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
  return fetch(`${scene.url}/v1/files`, { headers: { authorization: `Bearer ${key}#${channel}` } });
}

const stops: readonly [what: string, stop: () => void][] = [
  [
    'allows no more streams',
    () => {
      serve = (stream) => {
        stream.session?.settings({ maxConcurrentStreams: 0 });
        answer(stream);
      };
    },
  ],
  [
    'answers nothing more',
    () => {
      let answered = 0;
      serve = (stream) => {
        answered += 1;
        if (answered === 1) answer(stream);
      };
    },
  ],
];

describe.each(stops)('an upstream that %s', (_what, stop) => {
  /** Leaves one connection free on which nothing is served any more. */
  async function leaveStuckConnection(): Promise<void> {
    stop();
    expect((await embed()).status).toBe(200);
    await expect.poll(() => sessions.size).toBe(1);
    // The client has seen the settings when it answers a ping that was sent after them.
    await Promise.all([...sessions].map((session) => new Promise((pong) => session.ping(pong))));
  }

  test('keeps no connection after the deadline, and the next request gets a new one', async () => {
    await leaveStuckConnection();
    expect((await advanceWhile(scene.clock, 10, embed())).status).toBe(504);
    await expect.poll(() => sessions.size).toBe(0);
    serve = answer;
    expect((await embed()).status).toBe(200);
    expect([opened, sessions.size]).toEqual([2, 1]);
  });

  test('keeps no connection when the client leaves', async () => {
    await leaveStuckConnection();
    const leaving = new AbortController();
    const left = scene.clientLeft();
    const asked = embed(leaving.signal);
    await expect.poll(() => scene.ctx.ledger.openHolds).toBe(1);
    leaving.abort();
    await Promise.all([asked.catch(() => undefined), left]);
    await scene.settled();
    await expect.poll(() => sessions.size).toBe(0);
  });

  test('keeps no connection of a passthrough request after its deadline', async () => {
    const channel = await scene.newChannel({ type: OPENAI, base_url: `${url}/v1`, models: ['files'] });
    stop();
    expect((await listFiles(channel)).status).toBe(200);
    await Promise.all([...sessions].map((session) => new Promise((pong) => session.ping(pong))));
    expect((await advanceWhile(scene.clock, 60, listFiles(channel))).status).toBe(504);
    await expect.poll(() => sessions.size).toBe(0);
  });
});

test('serves the next request on the same connection when the client leaves a stream that has begun', async () => {
  serve = (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.write('{');
  };
  const leaving = new AbortController();
  const left = scene.clientLeft();
  const asked = embed(leaving.signal);
  await expect.poll(() => streams).toBe(1);
  await Promise.all([...sessions].map((session) => new Promise((pong) => session.ping(pong))));
  leaving.abort();
  await Promise.all([asked.catch(() => undefined), left]);
  await scene.settled();
  serve = answer;
  expect((await embed()).status).toBe(200);
  expect(opened).toBe(1);
});
