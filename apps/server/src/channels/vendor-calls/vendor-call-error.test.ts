import { generateKeyPairSync } from 'node:crypto';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { channels } from '@switchyard/contract/channels/channels';
import type { FailureClass } from '@switchyard/contract/wire-enums';
import { createChatTest } from '@switchyard/relay';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createLog } from '../../platform/log.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { type Reply, startTestVendor } from '../../testing/simulated-vendor.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { loadChannels, redactSecrets, sendVendorRequest } from '../registry/registry.ts';
import { channelRoutes } from '../registry/routes.ts';

const CUSTOM = 8;
const KEY = 'Zx81Qp77LmNoPqRsTuVwXyZ0042abcdEFGH';
const CHAT = 'POST /v1/chat/completions';
const MODELS = 'GET /v1/models';

const logged: string[] = [];
const app = await useFeatureApp([serveRoutes(channels, channelRoutes)], {
  log: createLog('debug', { write: (line: string) => void logged.push(line) }),
});
const admin = await app.createUser('root');
const api = admin.api(channels);
const vendor = await startTestVendor();
afterAll(() => vendor.close());

const create = async (changes: Partial<Parameters<typeof api.create>[0]['body']> = {}) => {
  const [channel] = await api.create({
    body: { name: 'c', type: CUSTOM, base_url: vendor.url, models: ['some-model'], key: KEY, ...changes },
  });
  if (channel === undefined) throw new Error('No channel was created');
  return channel;
};
const problemWith = async (changes: Parameters<typeof create>[0]) => {
  const { id } = await create(changes);
  const { success, problem, message } = await api.test({ params: { id } });
  expect(success).toBe(false);
  expect(message).not.toBe('');
  const listed = () => api.fetchModels({ body: { id, type: CUSTOM, base_url: changes?.base_url ?? vendor.url } });
  return { problem, listed };
};
const closedPort = async () => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Starts a server that sends these bytes in response to everything. */
const startRaw = (text: string) =>
  createServer((socket) => {
    socket.once('data', () => socket.end(text));
    socket.on('error', () => socket.destroy());
  });

describe('a counterpart that cannot be reached', () => {
  test('reports an unknown host name', async () => {
    const { problem, listed } = await problemWith({ base_url: 'http://no-such-vendor.invalid' });
    expect(problem).toBe('dns');
    await expect(listed()).rejects.toMatchObject({ code: 'upstream-failed', problem: 'dns' });
  });

  test('a closed port', async () => {
    const { problem, listed } = await problemWith({ base_url: `http://127.0.0.1:${await closedPort()}` });
    expect(problem).toBe('connection-refused');
    await expect(listed()).rejects.toMatchObject({ problem: 'connection-refused' });
  });

  test('reports an untrusted certificate and a server without TLS', async () => {
    const server = createSecureServer(createSelfSignedCertificate('127.0.0.1'), (_request, response) =>
      response.end('{}'),
    );
    const port = await listen(server);
    expect((await problemWith({ base_url: `https://127.0.0.1:${port}` })).problem).toBe('tls');
    await new Promise((resolve) => server.close(resolve));
    expect((await problemWith({ base_url: vendor.url.replace('http:', 'https:') })).problem).toBe('tls');
  });

  test('a silent server', async () => {
    vendor.overrideReply(CHAT, () => 'silence');
    const { id } = await create();
    const channel = (await loadChannels(app.ctx)).find((loaded) => loaded.id === id);
    if (channel === undefined) throw new Error('The channel cannot be loaded');
    const pending = sendVendorRequest(app.ctx, channel, createChatTest('some-model'), { timeoutMs: 200 });
    await expect(pending).rejects.toMatchObject({ problem: 'timeout' });
    vendor.resetReplies();
  });

  test('a server that hangs up', async () => {
    vendor.overrideReply(CHAT, () => 'hang-up');
    expect((await problemWith({})).problem).toBe('unreachable');
    vendor.resetReplies();
  });

  test('a server that speaks no HTTP', async () => {
    const server = startRaw(`SSH-2.0 ${KEY}\r\n`);
    const port = await listen(server);
    expect((await problemWith({ base_url: `http://127.0.0.1:${port}` })).problem).toBe('wrong-address');
    await new Promise((resolve) => server.close(resolve));
  });

  test('a proxy that is not there, and one that wants a password', async () => {
    expect((await problemWith({ proxy: `http://127.0.0.1:${await closedPort()}` })).problem).toBe('proxy');
    const refusing = startRaw('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    const port = await listen(refusing);
    expect((await problemWith({ proxy: `http://127.0.0.1:${port}` })).problem).toBe('proxy');
    await new Promise((resolve) => refusing.close(resolve));
  });

  test('an address inside', async () => {
    const { id } = await create();
    await app.ctx.db.writer.updateTable('channel').set({ base_url: 'http://10.0.0.1' }).where('id', '=', id).execute();
    expect(await api.test({ params: { id } })).toMatchObject({ problem: 'address-not-allowed' });
    const refused = api.fetchModels({ body: { type: CUSTOM, base_url: 'http://10.0.0.1', key: KEY } });
    await expect(refused).rejects.toMatchObject({ problem: 'address-not-allowed' });
  });
});

const page = '<!DOCTYPE html><html><body>Sign in</body></html>';
const error = (message: string, code?: string) => ({ error: { message, ...(code === undefined ? {} : { code }) } });

describe('a response that explains the error', () => {
  const cases: readonly (readonly [FailureClass, string, Reply])[] = [
    ['html-answer', 'a page', { text: page }],
    ['html-answer', 'a page that blocks', { status: 403, text: page }],
    ['not-json', 'text', { text: 'hello' }],
    ['empty-answer', 'an object without an answer', { json: {} }],
    ['empty-answer', 'nothing', { text: '' }],
    ['empty-answer', 'an empty message', { json: { choices: [{ message: { content: '' } }], usage: {} } }],
    ['wrong-address', 'a redirect', { status: 302, headers: { location: `http://elsewhere/${KEY}` }, text: '' }],
    ['wrong-address', 'a page that says not found', { status: 404, text: page }],
    ['wrong-address', 'a path that is not there', { status: 404, json: { detail: 'Not Found' } }],
    ['wrong-key', 'an unknown key', { status: 401, json: error(`Incorrect API key provided: ${KEY}`) }],
    ['wrong-key', 'an expired key under 403', { status: 403, json: error('The API key is expired') }],
    ['no-permission', 'a key without the right', { status: 403, json: error('You may not do this') }],
    ['wrong-region', 'a country', { status: 403, json: error('no', 'unsupported_country_region_territory') }],
    ['rate-limit', 'a limit', { status: 429, json: error('Slow down') }],
    ['out-of-credit', 'no credit', { status: 402, json: error('Pay first') }],
    ['out-of-credit', 'no quota', { status: 429, json: error('You exceeded', 'insufficient_quota') }],
    ['model-missing', 'by its code', { status: 404, json: error('What?', 'model_not_found') }],
    ['model-missing', 'by its words', { status: 400, json: error('Model some-model does not exist') }],
    ['model-missing', 'at a gateway', { status: 503, json: error('no available channel for model x') }],
    ['other-endpoint', 'an image model', { status: 404, json: error('This is not a chat model.') }],
    [
      'other-endpoint',
      'an endpoint that is named',
      {
        status: 404,
        json: error(
          'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?',
        ),
      },
    ],
    [
      'other-endpoint',
      'a model of another API',
      { status: 400, json: error('The model house-7 is only supported in v1/responses.') },
    ],
    ['other-endpoint', 'a method', { status: 404, json: error('models/house-7 is not supported for generateContent') }],
    [
      'other-endpoint',
      'a capability',
      { status: 400, json: error('Model house-7 does not support chat completions.', 'model_not_found') },
    ],
    [
      'other-endpoint',
      'Azure’s code',
      {
        status: 400,
        json: { error: { code: 'OperationNotSupported', message: 'The requested operation is unsupported.' } },
      },
    ],
    [
      'other-endpoint',
      'Azure’s words',
      { status: 400, json: error('The chatCompletion operation does not work with the specified model.') },
    ],
    ['other-endpoint', 'a kind of model', { status: 422, json: error('This model is not a chat-completion model') }],
    ['other-endpoint', 'a task', { status: 400, json: error('m is not supported for task chat-completion') }],
    ['other-endpoint', 'a type', { status: 400, json: error('Unsupported model type: text-to-image') }],
    ['other-endpoint', 'a mismatch', { status: 400, json: error('Model type mismatch: expected chat') }],
    ['other-endpoint', 'no right', { status: 403, json: error('You are not allowed to use this endpoint') }],
    ['other-endpoint', 'in Chinese', { status: 400, json: error('该模型不支持对话') }],
    ['model-missing', 'a model for chats', { status: 404, json: error('The chat model x does not exist') }],
    ['bad-request', 'a field', { status: 400, json: error('max_tokens is too small') }],
    ['vendor-error', 'a failure', { status: 500, json: error('Oops') }],
    ['vendor-error', 'a gateway before it', { status: 502, text: page }],
    ['vendor-error', 'an error inside a 200', { json: error('Oops') }],
  ];
  test.each(cases)('%s: %s', async (problem, _what, reply) => {
    vendor.overrideReply(CHAT, () => reply);
    expect((await problemWith({})).problem).toBe(problem);
    vendor.resetReplies();
  });

  const lists: readonly (readonly [FailureClass, Reply])[] = [
    ['html-answer', { text: page }],
    ['not-json', { text: 'hello' }],
    ['wrong-key', { status: 401, json: error('no') }],
    ['wrong-address', { status: 404, json: {} }],
    ['wrong-address', { status: 301, text: '' }],
    ['rate-limit', { status: 429, json: error('no') }],
  ];
  test.each(lists)('of a list of models: %s', async (problem, reply) => {
    vendor.overrideReply(MODELS, () => reply);
    const listed = api.fetchModels({ body: { type: CUSTOM, base_url: vendor.url, key: KEY } });
    await expect(listed).rejects.toMatchObject({ code: 'upstream-failed', problem });
    vendor.resetReplies();
  });

  test('a key of several parts of which one is missing', async () => {
    const { id } = await create();
    const sealed = app.ctx.vault.seal('channel-key', `channel:${id}`, 'AKIAEXAMPLE');
    await app.ctx.db.writer
      .updateTable('channel')
      .set({ provider: 'bedrock', base_url: '', key_sealed: sealed })
      .where('id', '=', id)
      .execute();
    expect((await api.test({ params: { id } })).problem).toBe('malformed-key');
  });

  test('a region that the vendor does not have', async () => {
    const { id } = await create();
    const sealed = app.ctx.vault.seal('channel-key', `channel:${id}`, 'no-such-region-9|AKIAEXAMPLE|secret');
    await app.ctx.db.writer
      .updateTable('channel')
      .set({ provider: 'bedrock', base_url: '', key_sealed: sealed })
      .where('id', '=', id)
      .execute();
    expect((await api.test({ params: { id } })).problem).toBe('wrong-region');
  });
});

test('a vendor that repeats the key, whole or in part, gets it into no message, no log and no audit entry', async () => {
  const reported: string[] = [];
  const quotes = [KEY, KEY.slice(0, 12), KEY.slice(-10), `${KEY.slice(0, 4)}****${KEY.slice(-4)}`];
  for (const quote of quotes)
    for (const reply of [
      { status: 401, json: error(`The key ${quote} is wrong`), headers: { 'www-authenticate': `Bearer ${quote}` } },
      { status: 400, text: `key=${quote}` },
      { status: 200, text: `{"answer": "${quote}` },
      { status: 200, json: error(`Bearer ${quote}`) },
      { status: 302, text: '', headers: { location: `http://elsewhere/?key=${quote}` } },
    ]) {
      vendor.overrideReply(CHAT, () => reply);
      vendor.overrideReply(MODELS, () => reply);
      const { id } = await create();
      reported.push(JSON.stringify(await api.test({ params: { id } })));
      const listed = await api
        .fetchModels({ body: { id, type: CUSTOM, base_url: vendor.url } })
        .catch((refusal: unknown) => String(refusal));
      reported.push(String(listed));
      vendor.resetReplies();
    }
  const server = startRaw(`HTTP/1.1 200 OK\r\nbad header ${KEY}\r\n\r\n`);
  const port = await listen(server);
  const { id } = await create({ base_url: `http://127.0.0.1:${port}` });
  reported.push(JSON.stringify(await api.test({ params: { id } })));
  await new Promise((resolve) => server.close(resolve));

  const audited = await app.ctx.db.writer.selectFrom('audit_entry').selectAll().execute();
  expect(reported.length).toBeGreaterThan(30);
  expect(logged.length).toBeGreaterThan(30);
  const all = [...reported, ...logged, JSON.stringify(audited)].join('\n');
  for (let at = 0; at + 8 <= KEY.length; at += 1) expect(all).not.toContain(KEY.slice(at, at + 8));
  expect(all).not.toContain(`${KEY.slice(0, 4)}****`);
});

test('a token that was given for the credentials gets into no message either', async () => {
  const given = 'ya29.a0AfTokenOfTheAccount0123456789';
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = JSON.stringify({
    type: 'service_account',
    project_id: 'p-1',
    client_email: 'a@p-1.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  const { outbound } = app.ctx;
  const ask = outbound.fetchJson.bind(outbound);
  const fetchJson = vi.spyOn(outbound, 'fetchJson').mockImplementation(async (request) => {
    if (!request.url.startsWith('https://oauth2.googleapis.com/')) return ask(request);
    const json = { access_token: given, expires_in: 3_600 };
    return { status: 200, headers: {}, json, text: JSON.stringify(json) };
  });
  onTestFinished(() => fetchJson.mockRestore());
  const vertex = await startTestVendor({}, ({ headers }) => ({
    status: 401,
    json: error(`No such token: ${headers.authorization?.slice(7, 27)}`),
  }));
  onTestFinished(() => vertex.close());
  const { id } = await create({ type: 42, key, base_url: vertex.url, models: ['gemini-2.5-flash'] });
  const listed = await api
    .fetchModels({ body: { id, type: 42, base_url: vertex.url } })
    .catch((refusal: unknown) => String(refusal));
  const reported = [JSON.stringify(await api.test({ params: { id } })), String(listed)];
  expect(reported.every((text) => text.includes('[key]'))).toBe(true);
  expect([...reported, ...logged].join('')).not.toContain(given.slice(0, 12));
});

test('neither whole nor in base64 does a proxy’s password get into a message', async () => {
  const { id } = await create({ proxy: 'http://user-name:pw%2Fabc123@127.0.0.1:1' });
  const channel = (await loadChannels(app.ctx)).find((loaded) => loaded.id === id);
  if (channel === undefined) throw new Error('The channel cannot be loaded');
  const text = Buffer.from('user-name:pw/abc123').toString('base64');
  const clean = redactSecrets(`407 for Basic ${text} (pw/abc123, pw%2Fabc123)`, channel);
  expect(clean).not.toMatch(/abc123|dXNlci1uYW1l|YWJjMTIz/);
  expect(redactSecrets('no', { ...channel, proxy: 'http://a%zz:b@127.0.0.1' })).toBe('no');
});
