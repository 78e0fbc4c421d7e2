/** Upstreams that speak HTTP/2 and stop serving on a connection that is open. */
import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Server } from 'proxy-chain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed.ts';

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
const upstream = createSecureServer({ ...certificate, allowHTTP1: true });
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
upstream.on('request', (request, response) => {
  if (request.httpVersionMajor === 1) request.resume().on('end', () => response.end(EMBEDDING));
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
  await scene.reset();
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
  stream.end(EMBEDDING);
}

const embed = (signal?: AbortSignal) =>
  scene.post('/v1/embeddings', { model: MODEL, input: 'x'.repeat(100_000) }, signal === undefined ? {} : { signal });

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
    const left = scene.waitForDisconnect();
    const pending = embed(leaving.signal);
    await expect.poll(() => scene.ctx.ledger.openHolds).toBe(1);
    leaving.abort();
    await Promise.all([pending.catch(() => undefined), left]);
    await scene.waitUntilSettled();
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
  const left = scene.waitForDisconnect();
  const pending = embed(leaving.signal);
  await expect.poll(() => streams).toBe(1);
  await Promise.all([...sessions].map((session) => new Promise((pong) => session.ping(pong))));
  leaving.abort();
  await Promise.all([pending.catch(() => undefined), left]);
  await scene.waitUntilSettled();
  serve = answer;
  expect((await embed()).status).toBe(200);
  expect(opened).toBe(1);
});

describe('an upstream that breaks an HTTP/2 session', () => {
  const PREFACE_BYTES = 24;
  const [DATA, HEADERS, SETTINGS, WINDOW_UPDATE] = [0, 1, 4, 8];
  const [ACK_OR_END_STREAM, END_HEADERS] = [1, 4];

  /** https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */
  function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  }

  /** Not indexed, not compressed. https://www.rfc-editor.org/rfc/rfc7541#section-6.2.2 */
  function header(name: string, value: string): Buffer {
    const parts = [name, value].map((text) => Buffer.from(`${String.fromCharCode(text.length)}${text}`));
    return Buffer.concat([Buffer.from([0]), ...parts]);
  }

  const STATUS_200 = Buffer.from([0x88]);
  const settings = [frame(SETTINGS, 0, 0), frame(SETTINGS, ACK_OR_END_STREAM, 0)];
  const shortLength = Buffer.concat([
    STATUS_200,
    header('content-type', 'application/json'),
    header('content-length', '1'),
  ]);
  const PLAIN = Buffer.from('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
  const directly: readonly [string, Buffer[]][] = [
    [
      'a body that is longer than its content-length',
      [...settings, frame(HEADERS, END_HEADERS, 1, shortLength), frame(DATA, 1, 1, Buffer.from('{}'))],
    ],
    ['a window update of 0', [...settings, frame(WINDOW_UPDATE, 0, 1, Buffer.alloc(4))]],
    ['a response in HTTP/1.1', [PLAIN]],
    ['a closed connection', []],
  ];
  const proxied: readonly [string, Buffer[]][] = [
    ['a response in HTTP/2', settings],
    ['a closed connection', []],
  ];
  let proxy: Server;
  beforeAll(async () => {
    proxy = new Server({ port: 0, host: '127.0.0.1' });
    await proxy.listen();
  });
  afterAll(() => proxy.close(true));

  /** An upstream whose first connection ends like that. */
  async function startBreaking(sent: Buffer[]) {
    const protocols: (string | false | null)[] = [];
    const server = createTlsServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      socket.on('error', () => {});
      if (protocols.push(socket.alpnProtocol) > 1) return void upstream.emit('secureConnection', socket);
      let bytes = 0;
      socket.on('data', (chunk) => {
        const isBegun = bytes > PREFACE_BYTES;
        bytes += chunk.length;
        if (isBegun || bytes <= PREFACE_BYTES) return;
        if (sent.length === 0) socket.destroy();
        else socket.write(Buffer.concat(sent));
      });
    });
    const base_url = `https://127.0.0.1:${await listen(server)}/v1`;
    onTestFinished(() => void server.close());
    return { base_url, protocols };
  }

  test.each([
    ...directly.map(([what, sent]) => [what, 'directly', 'h2', sent] as const),
    ...proxied.map(([what, sent]) => [what, 'through a proxy', 'http/1.1', sent] as const),
  ])('fails one attempt by %s %s, and no other', async (_what, way, protocol, sent) => {
    const { base_url, protocols } = await startBreaking(sent);
    const through = way === 'directly' ? '' : `http://127.0.0.1:${proxy.port}`;
    const channel = { type: OPENAI, base_url, models: ['shared'], proxy: through };
    const channels = [await scene.newChannel(channel), await scene.newChannel(channel)];
    const { status } = await scene.post('/v1/embeddings', { model: 'shared', input: 'x' });
    await scene.waitUntilSettled();
    const [record] = await scene.records();
    const { attempts } = JSON.parse(record?.detail ?? '{}');
    expect({ status, protocols }).toEqual({ status: 200, protocols: [protocol, protocol] });
    expect(attempts).toMatchObject([{ outcome: 'unreachable' }, { outcome: 'answered' }]);
    const failures = channels.map((id) => getChannelHealth(scene.ctx).get(id, 'shared').failuresInRow);
    expect(failures.toSorted((one, other) => one - other)).toEqual([0, 1]);
  });
});
