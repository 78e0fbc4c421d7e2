import { connect } from 'node:net';
import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { apiKeyId } from '@switchyard/contract/ids';
import { Server } from 'proxy-chain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import { startSocks5Proxy } from '../../../../../tests/scripted-upstream/socks5.ts';
import {
  closeRealtime,
  connectRealtime,
  getErrorCode,
  type RealtimeOptions,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 10_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url, key: 'sk-upstream-1' });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const call = (model: string, options: RealtimeOptions = {}): RealtimeTestClient =>
  connectRealtime(scene, model, options);

describe('the key', () => {
  test.each([
    ['api-key', (key: string) => ({ headers: { 'api-key': key } })],
    ['x-api-key', (key: string) => ({ headers: { 'x-api-key': key } })],
    ['the sub-protocol', (key: string) => ({ headers: {}, protocols: ['realtime', `openai-insecure-api-key.${key}`] })],
  ])('may be in %s', async (name, options) => {
    const caller = call('live-key', options(scene.key));
    await caller.waitForEvent('session.created');
    expect(caller.socket.protocol).toBe(name === 'the sub-protocol' ? 'realtime' : '');
    await closeRealtime(caller);
  });

  test.each([
    ['unknown', 'live', { key: 'sk-nobody' }, 401, 'invalid_api_key'],
    ['good, and no channel offers the model', 'unheard-of', {}, 404, 'model_not_found'],
    ['good, and no model is named', '', {}, 400, 'invalid_request'],
  ])('is %s: the answer is an error of OpenAI’s shape', async (_, model, options, status, expected) => {
    const { rejection } = call(model, options);
    const answer = await rejection;
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: expected } });
  });

  test('refuses a key without the model and a session without a model', async () => {
    const limit_model_setting = { enabled: true, models: ['other'] };
    const setting = apiKeySetting.parse({});
    const limits = { ...setting.limits, limit_model_setting };
    const key = await scene.newKey({ unlimited_quota: true, setting: { ...setting, limits } });
    expect((await call('live', { key }).rejection).status).toBe(404);
    expect((await call('intent=transcription').rejection).body).toContain('intent');
  });

  test('ends the session of a disabled key within seconds', async () => {
    const key = await scene.newKey({ unlimited_quota: true, name: 'to be disabled' });
    const caller = call('live-disabled', { key });
    await caller.waitForEvent('session.created');
    const { data } = await scene.user.api(apiKeys).list({ query: { page: 1, size: 100 } });
    const id = data.find(({ name }) => name === 'to be disabled')?.id;
    await scene.user.api(apiKeys).remove({ params: { id: apiKeyId.parse(id) } });
    const from = performance.now();
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('api_key_disabled');
    expect((await caller.closed).code).toBe(1008);
    expect(performance.now() - from).toBeLessThan(10_000);
  });
});

describe('an upstream', () => {
  test('retries another channel when an upstream refuses', async () => {
    const other = await startRealtimeUpstream();
    await scene.newChannel({ models: ['both+status-500'], base_url: upstream.url, priority: 10 });
    await scene.newChannel({
      models: ['both+status-500'],
      base_url: other.url,
      priority: 1,
      model_mapping: { 'both+status-500': 'live-other' },
    });
    const refused = upstream.refused;
    const caller = call('both+status-500');
    await caller.waitForEvent('session.created');
    expect(upstream.refused).toBe(refused + 1);
    expect(other.sessions[0]?.path).toContain('live-other');
    await closeRealtime(caller);
    await other.close();
  });

  test('reports an upstream’s refusal before the upgrade, without the channel’s key', async () => {
    const { status, body } = await call('live+status-400').rejection;
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: { message: 'refused for Bearer [key]' } }]);
    expect(body).not.toContain('sk-upstream');
    await scene.waitUntilSettled();
  });

  test('reaches an upstream through an HTTP or SOCKS5 proxy', async () => {
    let tunnels = 0;
    const http = new Server({
      port: 0,
      host: '127.0.0.1',
      prepareRequestFunction: ({ isHttp }) => {
        if (!isHttp) tunnels += 1;
        return {};
      },
    });
    await http.listen();
    const socks = await startSocks5Proxy('relay', 'secret');
    const through = { base_url: upstream.url, key: 'sk-upstream-1' };
    await scene.newChannel({ ...through, models: ['proxied-h'], proxy: `http://127.0.0.1:${http.port}` });
    await scene.newChannel({ ...through, models: ['proxied-s'], proxy: socks.url });
    for (const model of ['proxied-h', 'proxied-s']) {
      const caller = call(model);
      await caller.waitForEvent('session.created');
      caller.send({ type: 'response.create' });
      await caller.waitForEvent('response.done');
      await closeRealtime(caller);
    }
    expect([tunnels, socks.connections]).toEqual([1, 1]);
    socks.close();
    await http.close(true);
  });
});

describe('a client', () => {
  test('may request another protocol, which is ignored', async () => {
    const answer = await fetch(`${scene.url}/v1/realtime`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(answer.status).toBe(404);
    const socket = connect(Number(new URL(scene.url).port), '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 200/);
  });

  test('refuses an incomplete WebSocket request', async () => {
    const socket = connect(Number(new URL(scene.url).port), '127.0.0.1');
    socket.write(
      `GET /v1/realtime?model=live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.key}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400[\s\S]*invalid_request/);
  });
});
