/**
 * Request bodies that expand: compressed bombs, and endless, deep and wide bodies, at every route with a body. Each is
 * refused as soon as it exceeds a limit, and takes no memory.
 */
import { createServer, request, type Server } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { OPENAI_COMPATIBLE, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { channels } from '../../packages/contract/src/channels/channels.ts';
import { channelId } from '../../packages/contract/src/ids.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listen } from '../listen.ts';
import { reportMeasurement, sampleOf } from '../tier.ts';
import { collectGarbage } from './collect-garbage.ts';
import { managementTargets, relayTargets } from './hostile-requests.ts';

const TRIES = 5;
/** Routes of a short run. */
const ROUTES = 25;
const GIGABYTE = 1024 ** 3;
const INFLATED_BYTES = 200 * 1024 * 1024;
const MEMORY_MAX_BYTES = 32 * 1024 * 1024;
/** CPU time, which does not depend on the machine's other work. */
const REFUSED_WITHIN_MS = 200;
/** Milliseconds of CPU time of this process, including all of its threads. */
const cpuMs = (): number => (({ user, system }) => (user + system) / 1_000)(process.cpuUsage());

let scene: RelayScene;
const servers: Server[] = [];
const zeros = Buffer.alloc(INFLATED_BYTES, ' ');
const bombs: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(zeros),
  deflate: deflateSync(zeros),
  br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: zstdCompressSync(zeros),
};

beforeAll(async () => {
  scene = await startRelayScene();
  await removeRateLimits(scene.admin);
  await scene.newChannel({});
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await scene.close();
});

/** Replaces the status if the refusal was not read. */
const CLOSED = 0;

interface Refusal {
  status: number;
  /** CPU time in milliseconds after the last byte that the refusal required. */
  ms: number;
}

/**
 * @param pieces written one after the other while the server reads
 * @param limit bytes after which the server must refuse
 */
function send(
  path: string,
  headers: Record<string, string>,
  pieces: Iterable<Buffer>,
  limit: number,
): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    let knownAt = cpuMs();
    const sent = request(
      { host: '127.0.0.1', port: new URL(scene.url).port, method: 'POST', path, headers },
      (response) => {
        resolve({ status: response.statusCode ?? 0, ms: cpuMs() - knownAt });
        response.resume();
        sent.destroy();
      },
    );
    // A server that has responded closes the connection; a client that still writes may see that first.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') resolve({ status: CLOSED, ms: cpuMs() - knownAt });
      else reject(error);
    });
    const iterator = pieces[Symbol.iterator]();
    let bytes = 0;
    const write = (): void => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        if (sent.destroyed) return;
        if (bytes < limit) knownAt = cpuMs();
        bytes += next.value.length;
        if (!sent.write(next.value)) return void sent.once('drain', write);
      }
      if (limit > 0) sent.end();
    };
    write();
  });
}

/**
 * Sends the request up to five times if it is slow, because a garbage collection may slow one. @returns the last
 * refusal
 */
async function sendAgainWhenSlow(...sent: Parameters<typeof send>): Promise<Refusal> {
  let refusal = await send(...sent);
  for (let tries = 1; tries < TRIES && refusal.ms > REFUSED_WITHIN_MS; tries += 1) refusal = await send(...sent);
  return refusal;
}

const withBody = sampleOf(
  [...managementTargets, ...relayTargets].filter(({ method }) => method === 'POST' || method === 'PUT'),
  ROUTES,
);
const callers = () => [{}, { ...scene.admin.identity, origin: scene.url }, { authorization: `Bearer ${scene.key}` }];

const pathOf = (path: string): string => path.replace(/:\w+/g, '1');
const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** @returns the peak growth of this process's buffers, and the lasting growth of its objects; bytes */
async function memoryDuring(work: () => Promise<void>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage();
  let buffers = 0;
  const timer = systemTimers.every(2, () => {
    buffers = Math.max(buffers, process.memoryUsage().arrayBuffers - before.arrayBuffers);
  });
  await work().finally(() => timer.close());
  collectGarbage();
  return Math.max(buffers, process.memoryUsage().heapUsed - before.heapUsed);
}

describe('a compressed bomb', () => {
  test.each(Object.keys(bombs))('as %s is inflated by no route', async (encoding) => {
    const bomb = bombs[encoding] ?? Buffer.alloc(0);
    let slowest = 0;
    const peak = await memoryDuring(async () => {
      for (const [index, { path }] of withBody.entries()) {
        if (index % 10 === 0) collectGarbage();
        for (const caller of callers()) {
          const headers = { ...caller, 'content-type': 'application/json', 'content-encoding': encoding };
          const { status, ms } = await sendAgainWhenSlow(pathOf(path), headers, [bomb], bomb.length);
          expect(status, path).toBeGreaterThanOrEqual(400);
          expect(status, path).toBeLessThan(500);
          slowest = Math.max(slowest, ms);
        }
      }
    });
    reportMeasurement('P17', `${encoding} of ${bomb.length} bytes: ${Math.round(slowest)} ms, ${megabytes(peak)} MB`);
    expect(slowest).toBeLessThan(REFUSED_WITHIN_MS);
    expect(peak).toBeLessThan(MEMORY_MAX_BYTES);
  });

  test.each(Object.keys(bombs))(
    'as %s in an answer is inflated neither for a client nor for a form',
    async (encoding) => {
      const bomb = bombs[encoding] ?? Buffer.alloc(0);
      const upstream = createServer((message, response) => {
        message.resume();
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bomb);
      });
      servers.push(upstream);
      const base_url = `http://127.0.0.1:${await listen(upstream)}`;
      const id = await scene.newChannel({ base_url, models: [encoding] });
      const api = scene.admin.api(channels);
      const peak = await memoryDuring(async () => {
        for (const stream of [false, true]) {
          const response = await scene.chat(encoding, { stream });
          expect(response.status).toBe(502);
          expect((await response.text()).length).toBeLessThan(10_000);
          await api.resume({ params: { id: channelId.parse(id) } });
        }
        expect((await api.test({ params: { id: channelId.parse(id) } })).success).toBe(false);
        const listed = api.fetchModels({ body: { type: OPENAI_COMPATIBLE, base_url } });
        await expect(listed).rejects.toMatchObject({ code: 'upstream-failed' });
      });
      expect(peak).toBeLessThan(MEMORY_MAX_BYTES);
    },
  );
});

describe('a body of a gigabyte', () => {
  // Calls without a session count against the limit of their address for a minute.
  beforeEach(() => scene.clock.advance(61));

  const piece = Buffer.alloc(65_536, ' ');
  function* gigabyte(): Generator<Buffer> {
    for (let sent = 0; sent < GIGABYTE; sent += piece.length) yield piece;
  }

  test('that is announced is refused before it is sent', async () => {
    for (const { path, isForm } of withBody) {
      for (const caller of callers()) {
        const type = isForm === true ? 'multipart/form-data; boundary=x' : 'application/json';
        const headers = { ...caller, 'content-type': type, 'content-length': String(GIGABYTE) };
        const { status, ms } = await sendAgainWhenSlow(pathOf(path), headers, [piece], 0);
        expect([400, 401, 403, 404, 413], path).toContain(status);
        expect(ms, path).toBeLessThan(REFUSED_WITHIN_MS);
      }
    }
  });

  test.each([
    ['/api/user/login', 1024 * 1024],
    ['/api/channel/', 1024 * 1024],
    ['/v1/chat/completions', 32 * 1024 * 1024],
    ['/v1/messages', 32 * 1024 * 1024],
  ])('at %s that comes in pieces is refused at %i bytes', async (path, limit) => {
    for (const caller of callers()) {
      const headers = { ...caller, 'content-type': 'application/json' };
      let answer = { status: 0, ms: 0 };
      const peak = await memoryDuring(async () => {
        answer = await send(path, headers, gigabyte(), limit);
      });
      expect([400, 401, 403, 413, CLOSED]).toContain(answer.status);
      expect(answer.ms).toBeLessThan(REFUSED_WITHIN_MS);
      expect(peak).toBeLessThan(MEMORY_MAX_BYTES + limit);
    }
  });
});

describe('JSON', () => {
  const DEPTH = 100_000;
  const texts: Readonly<Record<string, string>> = {
    'nested lists': `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`,
    'nested objects': `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
    'nested beside a model': `{"model":"scripted","messages":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
    'a million fields': `{"model":"scripted",${Array.from({ length: 1_000_000 }, (_, n) => `"${n}x":1`).join(',')}}`,
    'a million list items': `{"model":"scripted","messages":[${'1,'.repeat(1_000_000)}1]}`,
    'a prototype': '{"__proto__":{"role":100},"model":"scripted"}',
    'a constructor': '{"constructor":{"prototype":{"role":100}},"model":"scripted"}',
  };

  test.each(Object.keys(texts))('of %s takes no route down', async (what) => {
    const body = Buffer.from(texts[what] ?? '');
    let slowest = { ms: 0, path: '' };
    for (const { path } of withBody) {
      for (const caller of callers()) {
        const headers = { ...caller, 'content-type': 'application/json', 'content-length': String(body.length) };
        const { status, ms } = await sendAgainWhenSlow(pathOf(path), headers, [body], body.length);
        expect(status, path).toBeLessThan(500);
        if (ms > slowest.ms) slowest = { ms, path };
      }
    }
    reportMeasurement('P17', `JSON of ${what}: ${Math.round(slowest.ms)} ms at ${slowest.path}`);
    expect(Reflect.get({}, 'role')).toBeUndefined();
    expect(slowest.ms, slowest.path).toBeLessThan(REFUSED_WITHIN_MS);
  });

  test('that is nested deeper than 64 levels is refused by every route of the console', async () => {
    const nested = (levels: number): string =>
      JSON.stringify({ x: 0 }).replace('0', '['.repeat(levels - 1) + ']'.repeat(levels - 1));
    for (const { name, path, method } of managementTargets) {
      if (method === 'GET' || name === 'signIn.signOut') continue;
      const headers = { 'content-type': 'application/json' };
      const refused = await scene.admin.fetch(pathOf(path), { method, headers, body: nested(65) });
      expect(await refused.text(), name).toContain('64 levels');
    }
    const headers = { 'content-type': 'application/json' };
    const allowed = await scene.admin.fetch('/api/user/login', { method: 'POST', headers, body: nested(64) });
    expect(await allowed.text()).not.toContain('64 levels');
  });
});
