/** Limits over HTTP: the headers of responses and refusals, and the release of every slot. */

import { connect, type Socket } from 'node:net';
import { type ApiKeySetting, apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { load } from '@switchyard/contract/operations/load';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { storeResponse, updateLargeResponse, updateOrigin } from '../../stored-responses/stored-responses.ts';
import { parseMetrics, sumSamples } from '../../testing/parse-metrics.ts';
import { ANTHROPIC, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene({ config: { relayMemoryMaxBytes: 300_000 } });
  await scene.newChannel({});
});
afterAll(() => scene.close());

function newKeyWith(limits: Partial<ApiKeySetting['limits']>, more = {}): Promise<string> {
  const setting = apiKeySetting.parse({});
  return scene.newKey({
    unlimited_quota: true,
    setting: { ...setting, limits: { ...setting.limits, ...limits } },
    ...more,
  });
}

async function messageOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

/** Holds the answers back that begin from now on. @returns what lets them go */
function holdAnswers(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.upstream.setScript(() => ({ endGate: promise }));
  return () => {
    scene.upstream.setScript(undefined);
    resolve();
  };
}

test('a response contains every applied limit with its remaining amount', async () => {
  const key = await newKeyWith({ tokens_per_minute: 50_000 }, { api_rate: 30 });
  const { headers } = await scene.chat('scripted', { max_tokens: 100 }, key);
  expect(headers.get('ratelimit-policy')).toBe(
    '"user-requests";q=600;w=60, "token-requests";q=30;w=60, "token-tokens";q=50000;w=60',
  );
  expect(headers.get('ratelimit')).toMatch(
    /^"user-requests";r=\d+;t=\d+, "token-requests";r=29;t=60, "token-tokens";r=49\d{3};t=1$/,
  );
  expect(headers.get('x-ratelimit-limit-requests')).toBe('30');
  expect(headers.get('x-ratelimit-remaining-requests')).toBe('29');
  expect(headers.get('x-ratelimit-reset-requests')).toBe('60s');
  expect(headers.get('x-ratelimit-limit-tokens')).toBe('50000');
  expect(headers.get('x-ratelimit-reset-tokens')).toBe('1s');
});

test('a token with a place for two requests refuses the third until one of them ends', async () => {
  const key = await newKeyWith({ concurrency: 2 });
  const leaving = new AbortController();
  const slow = 'scripted+tokens-100000+drip-5ms';
  const body = { model: slow, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const first = await scene.post('/v1/chat/completions', body, { key, signal: leaving.signal });
  const finish = holdAnswers();
  const second = scene.chat('scripted', {}, key);
  await until(() => scene.ctx.ledger.openHolds === 2);
  const third = await scene.chat('scripted', {}, key);
  expect(third.status).toBe(429);
  expect(third.headers.get('retry-after')).toBe('1');
  expect(third.headers.get('ratelimit-policy')).toBe('"token-concurrency";q=2;qu="concurrent-requests"');
  expect(await messageOf(third)).toContain('Concurrency limit of 2 reached');
  leaving.abort();
  await first.text().catch(() => '');
  finish();
  expect((await second).status).toBe(200);
  await scene.waitUntilSettled();
  expect((await scene.chat('scripted', {}, key)).status).toBe(200);
});

test.each([
  ['an answer', 'scripted', 200],
  ['an upstream that fails', 'scripted+status-500', 502],
  ['an upstream that refuses', 'scripted+status-400', 400],
  ['a model that nobody offers', 'nothing', 404],
  ['a stream that breaks off', 'scripted+cut-after-3', 200],
])('a place is free again after %s', async (_ending, model, status) => {
  const key = await newKeyWith({ concurrency: 1 });
  for (let nth = 0; nth < 3; nth += 1) {
    const response = await scene.chat(model, { stream: status === 200 }, key);
    await response.text();
    expect(response.status).toBe(status);
    await scene.waitUntilSettled();
  }
});

test('users and addresses have separate concurrency slots', async () => {
  const set = (name: string, value: string) => scene.admin.api(settings).update({ body: { key: name, value } });
  for (const [name, whose] of [
    ['ConcurrencyPerUser', 'your account'],
    ['ConcurrencyPerAddress', 'the address 127.0.0.1'],
  ] as const) {
    await set(name, '1');
    const finish = holdAnswers();
    const slow = scene.chat('scripted');
    await until(() => scene.ctx.ledger.openHolds === 1);
    const refused = await scene.chat('scripted');
    expect(await messageOf(refused)).toContain(`limit of 1 reached for ${whose}`);
    finish();
    expect((await slow).status).toBe(200);
    await set(name, '0');
  }
});

test('a group’s tokens per minute are charged by estimate and corrected by use', async () => {
  const owner = await scene.createUser('user', { group: 'svip', quota: 10_000_000 });
  const { data } = await scene.admin.api(userGroups).list({ query: {} });
  const group = data.find(({ symbol }) => symbol === 'svip');
  if (group === undefined) throw new Error('there is no group svip');
  await scene.newChannel({ group: ['svip'] });
  await scene.admin.api(userGroups).update({ body: { id: group.id, tpm: 2_000 } });
  const key = await scene.newKey({ unlimited_quota: true }, owner);
  const finish = holdAnswers();
  const running = scene.chat('scripted', { max_tokens: 1_900 }, key);
  await until(() => scene.ctx.ledger.openHolds === 1);
  const refused = await scene.chat('scripted', { max_tokens: 1_900 }, key);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(40);
  expect(await messageOf(refused)).toContain('each user of your group may use 2000 model tokens per minute');
  finish();
  expect((await running).status).toBe(200);
  await scene.waitUntilSettled();
  expect((await scene.chat('scripted', { max_tokens: 1_900 }, key)).status).toBe(200);
});

test('a client that disconnects from many requests is refused for a while', async () => {
  const owner = await scene.createUser('user', { quota: 10_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, owner);
  const leave = async () => {
    const leaving = new AbortController();
    const body = { model: 'scripted+silent', messages: [{ role: 'user', content: 'x' }] };
    const seen = scene.upstream.requests.length;
    const pending = scene.post('/v1/chat/completions', body, { key, signal: leaving.signal });
    await until(() => scene.upstream.requests.length > seen);
    leaving.abort();
    await pending.catch(() => undefined);
  };
  for (let nth = 0; nth < 30; nth += 1) await leave();
  await scene.waitUntilSettled();
  const refused = await scene.chat('scripted', {}, key);
  expect(refused.status).toBe(429);
  expect(await messageOf(refused)).toContain(
    'You have reached the limit of 30 failed requests per minute (canceled, blocked, too large or too slow',
  );
  expect((await scene.chat('scripted')).status).toBe(200);
  scene.clock.advance(61);
  expect((await scene.chat('scripted', {}, key)).status).toBe(200);
});

test('bodies beyond the memory for all of them are refused until one of their requests ends', async () => {
  const big = { messages: [{ role: 'user', content: 'x'.repeat(150_000) }] };
  const finish = holdAnswers();
  const first = scene.chat('scripted', big);
  await until(() => scene.ctx.ledger.openHolds === 1);
  const refused = await scene.chat('scripted', big);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  finish();
  expect((await first).status).toBe(200);
  await scene.waitUntilSettled();
  expect((await scene.chat('scripted', big)).status).toBe(200);
});

test('a response beyond the memory for all of them ends with 503, costs nothing, and blames no channel', async () => {
  await scene.waitUntilSettled();
  const large = 'scripted+tokens-200000';
  const requestCount = scene.upstream.requests.length;
  const before = (await scene.records()).length;
  const refused = await scene.chat(large, { max_tokens: 200_000 });
  expect(refused.status).toBe(503);
  // A repetition would need as much.
  expect(refused.headers.get('retry-after')).toBeNull();
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect(await messageOf(refused)).toContain('Send less, or request less output.');
  await scene.waitUntilSettled();
  // No second channel is asked for the same bytes, and the first one serves the next request.
  expect(scene.upstream.requests.length - requestCount).toBe(1);
  expect((await scene.records()).slice(before).map(({ quota }) => quota)).toEqual([0]);
  expect((await scene.chat('scripted')).status).toBe(200);
  await scene.waitUntilSettled();
});

test('a user whose own responses use up a share of the memory is refused for a while', async () => {
  await scene.waitUntilSettled();
  const owner = await scene.createUser('user', { quota: 10_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, owner);
  const statusOf = async (model: string) => (await scene.chat(model, { max_tokens: 200_000 }, key)).status;
  const drawTooMuch = async () => {
    for (let nth = 0; nth < 30; nth += 1) expect(await statusOf('scripted+tokens-200000')).toBe(503);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.upstream.setScript(() => ({ endGate: promise }));
  const requestCount = scene.upstream.requests.length;
  const another = scene.chat('scripted', { messages: [{ role: 'user', content: 'x'.repeat(150_000) }] });
  await until(() => scene.upstream.requests.length > requestCount);
  scene.upstream.setScript(undefined);
  await drawTooMuch();
  resolve();
  expect((await another).status).toBe(200);
  expect(await statusOf('scripted')).toBe(200);
  await drawTooMuch();
  expect(await statusOf('scripted')).toBe(429);
  expect((await scene.chat('scripted')).status).toBe(200);
});

test('an overloaded gateway refuses relayed requests in the client’s dialect, and still serves the console', async () => {
  const api = scene.admin.api(load);
  const finish = holdAnswers();
  const running = scene.chat('scripted');
  await until(() => scene.ctx.ledger.openHolds === 1);
  scene.load.memoryShare = 0.9;
  scene.clock.advance(0.5);
  expect(scene.ctx.overload.shedding).toBe(true);
  const refused = await scene.post('/v1/messages', {
    model: 'scripted',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  expect(await api.get()).toMatchObject({ shedding: true, refused: 1, memory: 0.9 });
  finish();
  expect((await running).status).toBe(200);
  scene.load.memoryShare = 0;
  scene.clock.advance(0.5);
  expect(scene.ctx.overload.shedding).toBe(false);
  expect((await scene.chat('scripted')).status).toBe(200);
});

describe('responses that their clients do not read', () => {
  const MB = 1_048_576;
  const BUDGET = 64 * MB;
  /** Larger than the system's buffers of a connection. */
  const TOKEN = 'a-token-for-the-scraper';
  const text = 'x'.repeat(12 * MB);
  let large: RelayScene;

  beforeAll(async () => {
    large = await startRelayScene({
      config: { relayMemoryMaxBytes: BUDGET, metricsReaders: [{ scheme: 'Bearer', credentials: TOKEN }] },
    });
    const count = () => ({ json: { input_tokens: 5, text } });
    const vendor = await startTestVendor({ 'POST /v1/messages/count_tokens': count });
    await large.newChannel({});
    await large.newChannel({ type: ANTHROPIC, base_url: vendor.url, models: ['counted'] });
    const item = { type: 'message', role: 'user', content: text };
    const response = { object: 'response', status: 'completed', background: true, output: [] };
    const common = { previousId: undefined, channelId: undefined };
    await storeResponse(large.ctx, large.user.id, {
      ...common,
      id: 'long_input',
      input: [],
      response: { ...response, id: 'long_input' },
    });
    await storeResponse(large.ctx, large.user.id, {
      ...common,
      id: 'long_output',
      input: [],
      response: { ...response, id: 'long_output' },
    });
    await updateLargeResponse(large.ctx, large.user.id, {
      id: 'long_output',
      response: JSON.stringify({ ...response, id: 'long_output', output: [item] }),
    });
    await updateOrigin(large.ctx, large.user.id, 'long_input', { channelId: undefined, input: [item] });
    return async () => {
      await large.close();
      await vendor.close();
    };
  });

  const readGauge = async (name: string): Promise<number | undefined> => {
    const answer = await fetch(`${large.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return sumSamples(parseMetrics(await answer.text()), `switchyard_relay_${name}`);
  };

  function leaveUnread(method: string, path: string, body: string): Socket {
    const socket = connect(Number(new URL(large.url).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    const head = [
      `${method} ${path} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${large.key}`,
      'content-type: application/json',
    ];
    socket.write([...head, `content-length: ${body.length}`, '', body].join('\r\n'));
    return socket;
  }

  const count = { model: 'counted', messages: [{ role: 'user', content: 'x' }] };
  test.each([
    ['GET', '/v1/responses/long_output', undefined, 'memory and count'],
    ['GET', '/v1/responses/long_output?stream=true', undefined, 'memory and count'],
    ['GET', '/v1/responses/long_input/input_items', undefined, 'memory and count'],
    ['POST', '/v1/messages/count_tokens', count, 'memory'],
  ])('%s %s keeps them in the memory budget until they are read', async (method, path, body, held) => {
    const content = body === undefined ? '' : JSON.stringify(body);
    const sockets = Array.from({ length: 20 }, () => leaveUnread(method, path, content));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const ask = async () => {
      const response = await fetch(large.url + path, {
        method,
        headers: { authorization: `Bearer ${large.key}`, 'content-type': 'application/json' },
        ...(body && { body: content }),
      });
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(() => readGauge('memory_bytes')).toBeGreaterThan(BUDGET * 0.5);
    await expect.poll(ask).toBe(503);
    expect(await readGauge('memory_bytes')).toBeLessThanOrEqual(BUDGET * 0.75 + MB);
    if (held === 'memory') await expect.poll(() => readGauge('running_requests')).toBe(0);
    else expect(await readGauge('running_requests')).toBeGreaterThan(2);
    const other = await large.newKey({ unlimited_quota: true }, large.admin);
    expect((await large.chat('scripted', {}, other)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => readGauge('memory_bytes')).toBe(0);
    expect(await readGauge('running_requests')).toBe(0);
  });
});
