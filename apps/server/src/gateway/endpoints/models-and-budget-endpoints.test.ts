import { channels } from '@switchyard/contract/channels/channels';
import { type ChannelId, channelId } from '@switchyard/contract/ids';
import { POINTS_PER_USD, points } from '@switchyard/contract/money';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

/** Another gateway of this kind. */
const GATEWAY = 1019;

let upstream: RelayScene;

beforeAll(async () => {
  upstream = await startRelayScene({ quota: 10 * POINTS_PER_USD });
  await upstream.newChannel({});
});
afterAll(() => upstream.close());

const ask = async (path: string, key: string) => {
  const answer = await fetch(upstream.url + path, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, body: await answer.text() };
};

describe('the remaining budget of a token', () => {
  test.each(['/api/usage/token', '/api/usage/token/'])('reports the budget at %s, with its limits', async (path) => {
    const key = await upstream.newKey({
      name: 'limited',
      unlimited_quota: false,
      remain_quota: points.parse(3 * POINTS_PER_USD),
    });
    const { status, body } = await ask(path, key);
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 200,
      body: {
        code: true,
        message: 'ok',
        data: {
          object: 'token_usage',
          name: 'limited',
          total_granted: 3 * POINTS_PER_USD,
          total_used: 0,
          total_available: 3 * POINTS_PER_USD,
          unlimited_quota: false,
          model_limits: {},
          model_limits_enabled: false,
          expires_at: 0,
        },
      },
    });
  });

  test('reports the owner’s balance for a token without a limit, and charges calls to it', async () => {
    await (await upstream.chat('scripted')).text();
    await upstream.waitUntilSettled();
    const { body } = await ask('/api/usage/token/', upstream.key);
    const { data } = JSON.parse(body);
    expect(data.total_available).toBe(await upstream.balance());
    expect(data.total_used).toBeGreaterThan(0);
    expect(data.total_granted - data.total_used).toBe(data.total_available);
  });

  test('refuses to report a budget without a valid token', async () => {
    expect((await ask('/api/usage/token/', 'sk-wrong')).status).toBe(401);
  });
});

describe('a gateway behind another one', () => {
  let scene: RelayScene;
  let channel: ChannelId;

  beforeAll(async () => {
    scene = await startRelayScene();
    const id = await scene.newChannel({
      type: GATEWAY,
      base_url: upstream.url,
      key: upstream.key,
      models: ['scripted-plain'],
      test_model: 'scripted-plain',
    });
    channel = channelId.parse(id);
  });
  afterAll(() => scene.close());

  const prompt = { max_tokens: 50, messages: [{ role: 'user', content: 'Say hello.' }] };

  test('answers chats, whole and streamed, in each dialect', async () => {
    const before = (await upstream.records()).length;
    const whole = await scene.chat('scripted-plain');
    expect(whole.status).toBe(200);
    expect(await whole.json()).toMatchObject({ choices: [{ message: { content: expect.stringMatching(/./) } }] });
    const streamed = await scene.chat('scripted-plain', { stream: true });
    expect(await streamed.text()).toContain('data: [DONE]');
    const messages = await scene.post('/v1/messages', { model: 'scripted-plain', ...prompt });
    expect(messages.status).toBe(200);
    expect(await messages.json()).toMatchObject({ type: 'message' });
    await Promise.all([scene.waitUntilSettled(), upstream.waitUntilSettled()]);
    const [mine] = await scene.records();
    const theirs = await upstream.records();
    expect(theirs).toHaveLength(before + 3);
    expect(theirs.at(-1)).toMatchObject({ prompt_tokens: mine?.prompt_tokens });
  });

  test('returns the balance in USD and the models of the token', async () => {
    const api = scene.admin.api(channels);
    const { balance } = await api.updateBalance({ params: { id: channel } });
    expect(balance).toBeCloseTo((await upstream.balance()) / POINTS_PER_USD, 5);
    await upstream.admin
      .api(channels)
      .create({
        body: {
          name: 'named',
          type: 8,
          base_url: upstream.upstream.url,
          key: 'sk-upstream',
          models: ['scripted-one', 'scripted-two'],
        },
      });
    const listed = await api.fetchModels({ body: { type: GATEWAY, base_url: upstream.url, key: upstream.key } });
    expect(listed).toEqual(['scripted-one', 'scripted-two']);
  });

  test('passes the test of the console', async () => {
    const result = await scene.admin.api(channels).test({ params: { id: channel }, query: {} });
    expect(result).toMatchObject({ success: true });
  });
});

test('a disabled dialect is refused in its own format, and the others continue', async () => {
  const send = (path: string, body: object) =>
    fetch(upstream.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${upstream.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], ...body }),
    });
  const off = ['ClaudeAPIEnabled', 'GeminiAPIEnabled'].map((key) => ({ key, value: 'false' }));
  await upstream.admin.api(settings).updateMany({ body: off });
  for (const path of ['/v1/messages', '/claude/v1/messages', '/v1/messages/count_tokens']) {
    const answer = await send(path, {});
    expect(answer.status, path).toBe(404);
    expect(await answer.json(), path).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  }
  for (const path of ['/v1beta/models/scripted:generateContent', '/gemini/v1beta/models']) {
    const answer = await send(path, { contents: [{ parts: [{ text: 'x' }] }] });
    expect(answer.status, path).toBe(404);
    expect(await answer.json(), path).toMatchObject({ error: { status: 'NOT_FOUND' } });
  }
  expect((await send('/v1/chat/completions', {})).status).toBe(200);
  await upstream.admin.api(settings).updateMany({ body: off.map(({ key }) => ({ key, value: 'true' })) });
  expect((await send('/v1/messages', {})).status).toBe(200);
});
