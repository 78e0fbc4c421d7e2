import { createServer } from 'node:http';
import { deadlines } from '@switchyard/contract/channels/channel-nested-settings';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { listen } from '../../../../../tests/listen.ts';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import { closeRealtime, connectRealtime } from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene();
  upstream = await startRealtimeUpstream();
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

/** A channel that is asked first, and another one that serves. */
async function twoChannels(model: string): Promise<void> {
  const first = deadlines.parse({ connect: 1, first_byte: 1 });
  const both = { models: [model], base_url: upstream.url, key: 'sk-upstream-1' };
  await scene.newChannel({ ...both, priority: 10, deadlines: first });
  await scene.newChannel({ ...both, priority: 1, model_mapping: { [model]: 'live-other' } });
}

describe('an upstream that answers the upgrade', () => {
  test.each([
    ['with an error for its first event', 'early+error-in-200'],
    ['and says nothing', 'early+silent'],
  ])('%s is passed over for another one', async (_, model) => {
    await twoChannels(model);
    const before = upstream.sessions.length;
    const caller = connectRealtime(scene, model);
    await expect.poll(() => upstream.sessions.length).toBeGreaterThan(before);
    scene.clock.advance(2);
    await caller.waitForEvent('session.created');
    expect(caller.events).toHaveLength(1);
    const [first, second] = upstream.sessions.slice(-2);
    expect(second?.path).toContain('live-other');
    await expect.poll(() => first?.closed).toBeDefined();
    await closeRealtime(caller);
    await scene.waitUntilSettled();
  });

  test('treats a refusal after the upgrade like one before it, without the channel’s key', async () => {
    const model = 'alone+error-in-200';
    await scene.newChannel({ models: [model], base_url: upstream.url, key: 'sk-upstream-1' });
    const { status, body } = await connectRealtime(scene, model).rejection;
    expect([status, JSON.parse(body)]).toMatchObject([503, { error: { code: 'upstream_error' } }]);
    expect(body).not.toContain('sk-upstream');
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)?.detail).toContain('unauthorised');
  });
});

test('leaves a long first event to the session, which reads it without delay for others', async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer().on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (session) => {
      session.send(JSON.stringify({ type: 'error', error: { type: 'server_error', message: 'x'.repeat(300_000) } }));
    });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  await scene.newChannel({ models: ['long'], base_url: `http://127.0.0.1:${port}` });
  const caller = connectRealtime(scene, 'long');
  await caller.waitForEvent('error');
  await closeRealtime(caller);
});

describe('the client’s headers', () => {
  test.each([
    ['a header', { 'openai-beta': 'realtime=v1' }, []],
    ['a sub-protocol', {}, ['realtime', 'openai-beta.realtime-v1']],
  ])('forwards the request for beta events to the upstream as %s', async (_, said, protocols) => {
    await scene.newChannel({ models: ['live-beta'], base_url: upstream.url });
    const headers = { authorization: `Bearer ${scene.key}`, 'anthropic-beta': 'x', ...said };
    const caller = connectRealtime(scene, 'live-beta', { headers, protocols });
    await caller.waitForEvent('session.created');
    expect(upstream.sessions.at(-1)?.headers).toMatchObject({ 'openai-beta': 'realtime=v1' });
    expect(upstream.sessions.at(-1)?.headers['anthropic-beta']).toBeUndefined();
    await closeRealtime(caller);
  });
});

test('a channel whose key buys a token is called with the token, and its secret stays here', async () => {
  const sold = { access_token: 'bought-token', expires_in: 3600 };
  const signIn = vi
    .spyOn(scene.ctx.outbound, 'fetchJson')
    .mockResolvedValue({ status: 200, headers: {}, json: sold, text: '' });
  const options = { tenant: 'contoso', client: 'c1' };
  await scene.newChannel({ type: 3, models: ['live-entra'], base_url: upstream.url, key: 'secret-1', options });
  const caller = connectRealtime(scene, 'live-entra');
  await caller.waitForEvent('session.created');
  const { headers } = upstream.sessions.at(-1) ?? { headers: {} };
  expect(headers).toMatchObject({ authorization: 'Bearer bought-token' });
  expect(JSON.stringify(headers)).not.toContain('secret-1');
  expect(signIn).toHaveBeenCalledTimes(1);
  signIn.mockRestore();
  await closeRealtime(caller);
});
