import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ApiKeySetting, apiKeySetting, type CreateApiKey } from '@switchyard/contract/accounts/api-keys';
import type { Points } from '@switchyard/contract/money';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { untrustedContentHeaders } from '../http/client-response.ts';

const SECRET = 'sk-secret-of-the-channel';
interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  bytes: number;
  left: boolean;
}

let scene: RelayScene;
let channelId: number;
let adminKey: string;
let seen: Seen[] = [];
let answer: (message: IncomingMessage, response: ServerResponse) => void;

const upstream = createServer((message, response) => {
  const one: Seen = {
    method: message.method ?? '',
    url: message.url ?? '',
    headers: message.headers,
    bytes: 0,
    left: false,
  };
  seen.push(one);
  message.on('data', (chunk: Buffer) => {
    one.bytes += chunk.length;
  });
  response.on('close', () => {
    one.left = !response.writableFinished;
  });
  message.on('end', () => answer(message, response));
});

beforeAll(async () => {
  const port = await listen(upstream);
  scene = await startRelayScene();
  channelId = await scene.newChannel({ base_url: `http://127.0.0.1:${port}/v1`, key: SECRET });
  adminKey = await scene.newKey({ unlimited_quota: true }, scene.admin);
});
afterAll(async () => {
  await scene.close();
  upstream.closeAllConnections();
  upstream.close();
});
beforeEach(() => {
  seen = [];
  answer = (_message, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{"id":"file-1"}');
});

function limited(limits: Partial<ApiKeySetting['limits']>): ApiKeySetting {
  const setting = apiKeySetting.parse({});
  return { ...setting, limits: { ...setting.limits, ...limits } };
}

interface Call extends Omit<RequestInit, 'headers'> {
  headers?: Record<string, string>;
}
const call = (path: string, init: Call = {}, key = `${adminKey}#${channelId}`) =>
  fetch(scene.url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

async function lastRecord() {
  await scene.waitUntilSettled();
  return (await scene.records()).at(-1);
}

describe('a call that an administrator pins to a channel', () => {
  test('forwards the form, the query and the channel’s credentials of a pinned call', async () => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(['{"a":1}\n']), 'lines.jsonl');
    const response = await call('/v1/files?purpose=batch&key=of-the-client', {
      method: 'POST',
      body: form,
      headers: { 'openai-beta': 'files=v1', cookie: 'x=y', 'x-secret': 'of the client' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: 'file-1' });
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(Object.fromEntries(response.headers)).toMatchObject(untrustedContentHeaders);
    const [one] = seen;
    expect(one).toMatchObject({ method: 'POST', url: '/v1/files?purpose=batch' });
    expect(one?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'openai-beta': 'files=v1' });
    expect(one?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(JSON.stringify(one?.headers)).not.toMatch(new RegExp(`${adminKey}|x=y|of the client`));
    expect(one?.bytes).toBeGreaterThan(100);
  });

  test.each([
    ['GET', '/v1/files/file-1/content'],
    ['DELETE', '/v1/vector_stores/vs_1/files/file-1'],
    ['POST', '/v1/batches/b_1/cancel'],
    ['GET', '/v1/fine_tuning/jobs/ft:gpt-4o:a::1/events'],
  ])('%s %s is recorded with its path, and costs nothing', async (method, path) => {
    const before = await scene.balance();
    expect((await call(path, { method })).status).toBe(200);
    expect(seen[0]).toMatchObject({ method, url: path });
    expect(await lastRecord()).toMatchObject({
      type: 'consume',
      quota: 0,
      channel_id: channelId,
      user_id: scene.admin.id,
      content: `${method} ${path}: 200`,
    });
    expect(await scene.balance()).toBe(before);
  });

  const NO_BUDGETS = { day: null, week: null, month: null };
  test.each<[string, Partial<CreateApiKey>]>([
    ['a quota', { unlimited_quota: false, remain_quota: 500 as Points }],
    ['a spent quota', { unlimited_quota: false }],
    ['a budget', { setting: limited({ budgets: { ...NO_BUDGETS, month: 5 as Points } }) }],
    ['a list of models', { setting: limited({ limit_model_setting: { enabled: true, models: ['m'] } }) }],
  ])('rejects a token with %s, which cannot be enforced', async (_what, limits) => {
    const key = await scene.newKey({ unlimited_quota: true, ...limits }, scene.admin);
    for (const [method, path] of [
      ['POST', '/v1/batches'],
      ['POST', '/v1/fine_tuning/jobs'],
      ['GET', '/v1/files'],
      ['HEAD', '/v1/vector_stores'],
    ] as const) {
      const response = await call(path, { method }, `${key}#${channelId}`);
      expect(response.status, `${method} ${path}`).toBe(403);
    }
    expect(seen).toEqual([]);
  });

  test('streams both ways, and keeps none of it', async () => {
    const MEGABYTE = 1_048_576;
    answer = (_message, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (let count = 0; count < 40; count++) response.write(Buffer.alloc(MEGABYTE));
      response.end();
    };
    async function* body() {
      for (let count = 0; count < 40; count++) yield new Uint8Array(MEGABYTE);
    }
    const init = { method: 'POST', body: ReadableStream.from(body()), duplex: 'half' };
    const response = await call('/v1/files', init as Call);
    expect((await response.arrayBuffer()).byteLength).toBe(40 * MEGABYTE);
    expect(seen[0]?.bytes).toBe(40 * MEGABYTE);
  });

  test('forwards a file with a non-ASCII name', async () => {
    answer = (_message, response) => {
      const name = Buffer.from('attachment; filename="文.txt"').toString('latin1');
      response.writeHead(200, { 'content-disposition': name }).end('text');
    };
    const response = await call('/v1/files/file-1/content');
    expect(response.status).toBe(200);
    const disposition = Buffer.from(response.headers.get('content-disposition') ?? '', 'latin1').toString();
    expect(disposition).toBe('attachment; filename="文.txt"');
  });

  test('reports the upstream’s refusal in OpenAI’s error format, without the channel’s key', async () => {
    answer = (_message, response) =>
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `No such file for ${SECRET}` } }));
    const response = await call('/v1/files/none');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('[key]') } });
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
    answer = (_message, response) => response.writeHead(401).end();
    expect((await call('/v1/files')).status).toBe(503);
  });

  test('breaks off the response to the client when a pinned call breaks off', async () => {
    answer = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('a part');
      void sleep(systemTimers, 20).then(() => response.destroy());
    };
    await expect((await call('/v1/files/file-1/content')).text()).rejects.toThrow();
    expect(await lastRecord()).toMatchObject({ type: 'error' });
  });

  test('cancels a pinned call when its client disconnects', async () => {
    answer = (_message, response) => response.writeHead(200).write('waiting');
    const leaving = new AbortController();
    const response = await call('/v1/files/file-1/content', { signal: leaving.signal });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => seen[0]?.left).toBe(true);
  });

  test('may not be larger than the largest file', async () => {
    const tooLarge = new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(scene.url);
      const headers = { authorization: `Bearer ${adminKey}#${channelId}`, 'content-length': 513 * 1024 * 1024 };
      import('node:http')
        .then(({ request }) => {
          const sent = request({ hostname, port, path: '/v1/files', method: 'POST', headers }, (response) => {
            resolve(response.statusCode ?? 0);
            sent.destroy();
          });
          sent.on('error', () => {});
          sent.flushHeaders();
        })
        .catch(reject);
    });
    expect(await tooLarge).toBe(413);
    expect(seen).toEqual([]);
  });
});

describe('a passthrough request without a pinned channel', () => {
  test.each([
    ['a user', () => scene.key],
    ['a user who names a channel', () => `${scene.key}#${channelId}`],
    ['an administrator who names none', () => adminKey],
    ['an administrator who names what is none', () => `${adminKey}#x`],
  ])('refuses %s with 403 in OpenAI’s format', async (_, key) => {
    const response = await call('/v1/vector_stores', {}, key());
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'channel_not_allowed', param: null } });
    expect(seen).toEqual([]);
  });
});

test.each(['/v1/files/../chat/completions', '/v1/files/%2e%2e/chat', '/v1/files/.', '/v1/filesystem', '/v1/threads'])(
  'returns 404 for %s',
  async (path) => {
    const { request } = await import('node:http');
    const { hostname, port } = new URL(scene.url);
    const headers = { authorization: `Bearer ${adminKey}#${channelId}` };
    const status = await new Promise((resolve) => {
      request({ hostname, port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(404);
    expect(seen).toEqual([]);
  },
);
