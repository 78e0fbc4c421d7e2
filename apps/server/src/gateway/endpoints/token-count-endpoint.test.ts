import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ANTHROPIC, NOON, useRelayScene } from '../../testing/relay-scene.ts';

const scene = await useRelayScene({ now: NOON });

const question = { messages: [{ role: 'user' as const, content: 'one two three four five' }] };

function count(model: string): Promise<number> {
  const client = new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
  return client.messages.countTokens({ model, ...question }).then(({ input_tokens: tokens }) => tokens);
}

describe('the number of tokens of a request', () => {
  it('returns the provider’s count, asked with the provider’s name for the model', async () => {
    await scene.newChannel({ type: ANTHROPIC, model_mapping: { scripted: 'scripted+tokens-1' } });
    expect(await count('scripted')).toBe(5);
    expect(scene.upstream.requests.map(({ path, json }) => [path, json['model']])).toEqual([
      ['/v1/messages/count_tokens', 'scripted+tokens-1'],
    ]);
  });

  it('counts the tokens locally when the provider has no endpoint for it', async () => {
    await scene.newChannel({ models: ['gpt-4o'] });
    const tokens = await count('gpt-4o');
    expect(tokens).toBeGreaterThanOrEqual(5);
    expect(tokens).toBeLessThan(25);
    expect(scene.upstream.requests).toEqual([]);
  });

  it.each(['status-500', 'status-429', 'garbage'])(
    'counts the tokens locally when the provider responds with %s',
    async (how) => {
      await scene.newChannel({ type: ANTHROPIC });
      expect(await count(`scripted+${how}`)).toBeGreaterThanOrEqual(5);
    },
  );

  it('costs nothing, and is limited like any request', async () => {
    await scene.newChannel({ type: ANTHROPIC });
    const before = await scene.balance();
    await count('scripted');
    await scene.waitUntilSettled();
    expect(await scene.balance()).toBe(before);
    expect(await scene.records()).toEqual([]);
    const slow = await scene.newKey({ unlimited_quota: true, api_rate: 1 });
    const ask = () => scene.post('/v1/messages/count_tokens', { model: 'scripted', ...question }, { key: slow });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });

  it('refuses to count without a key, for an unavailable model, and without messages', async () => {
    const path = '/claude/v1/messages/count_tokens';
    expect((await scene.post(path, { model: 'scripted', ...question }, { key: 'sk-none' })).status).toBe(401);
    expect((await scene.post(path, { model: 'scripted', ...question })).status).toBe(503);
    expect((await scene.post(path, { model: 'scripted' })).status).toBe(400);
  });
});
