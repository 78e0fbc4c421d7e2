import { type ApiKey, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { NANO_POINTS_PER_POINT } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { apiKeyId } from '@switchyard/contract/ids';
import { type Quote, type QuoteRequest, quote } from '@switchyard/contract/playground/quote';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import type { SignedInUser } from '../../testing/start-test-app.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ name: 'first', priority: 1 });
  await scene.newChannel({ name: 'second' });
  const rates = { input: 2 * NANO_POINTS_PER_POINT, output: 10 * NANO_POINTS_PER_POINT };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: 'scripted*', rates }) });
});
afterAll(() => scene.close());

const chatOf = (model: string) => ({ model, messages: [{ role: 'user', content: 'Say something.' }] });

function ask(who: SignedInUser, question: Partial<QuoteRequest> = {}): Promise<Quote> {
  return who.api(quote).ask({ body: { request: chatOf('scripted'), ...question } });
}

async function keyOf(owner: SignedInUser, body: Parameters<typeof scene.newKey>[0]): Promise<ApiKey> {
  const text = await scene.newKey(body, owner);
  const { data } = await owner.api(apiKeys).list({ query: {} });
  const key = data.find((one) => text.endsWith(one.key.slice(-4)));
  if (key === undefined) throw new Error('the new token is not listed');
  return { ...key, key: text };
}

test('reports the hold, and the cost of the prompt and of 1,000 output tokens', async () => {
  const answer = await ask(scene.user, { request: { ...chatOf('scripted'), max_tokens: 50 } });
  expect(answer).toMatchObject({ refusal: null, model: 'scripted', output_tokens: 50 });
  expect(answer.input_tokens).toBeGreaterThan(0);
  expect(answer.offer).toMatchObject({
    group: 'default',
    price_model: 'scripted*',
    price_type: 'tokens',
    input_cost: 2 * answer.input_tokens,
    cost_per_1000_output_tokens: 10_000,
  });
});

test('a call with the same body reserves the quoted amount', async () => {
  const request = { stream: true, ...chatOf('scripted+tokens-30+drip-20ms+quoted'), max_tokens: 70 };
  const { offer } = await ask(scene.user, { request });
  const answering = scene.post('/v1/chat/completions', request);
  const held = (): Promise<{ amount: number }[]> => scene.ctx.db.writer.selectFrom('hold').select('amount').execute();
  await expect.poll(held).toEqual([{ amount: offer?.hold }]);
  expect(await (await answering).text()).toContain('[DONE]');
  await scene.waitUntilSettled();
});

test('administrators see which channels could serve, and why not the others; users do not', async () => {
  const { offer } = await ask(scene.admin);
  expect(offer?.verdicts.map(({ channel_name, reason }) => [channel_name, reason])).toEqual([
    ['first', 'chosen'],
    ['second', 'lower-priority'],
  ]);
  expect((await ask(scene.user)).offer?.verdicts).toEqual([]);
});

test('takes nothing: neither points nor requests nor tokens per minute, and calls no channel', async () => {
  await scene.admin
    .api(userGroups)
    .create({ body: { symbol: 'slow', name: 'Slow', api_rate: 1, tpm: 2_000, public: true } });
  const slow = await scene.createUser('user', { quota: 1_000_000, group: 'slow' });
  await scene.admin
    .api(channels)
    .create({
      body: { name: 'slow', type: 8, base_url: scene.upstream.url, models: ['scripted*'], key: 'k', group: ['slow'] },
    });
  const key = await keyOf(slow, { unlimited_quota: true });
  const calls = scene.upstream.requests.length;
  for (let times = 0; times < 5; times += 1) {
    const { refusal, limits } = await ask(slow, { token_id: key.id });
    expect(refusal).toBeNull();
    expect(limits.map(({ policy, limit, remaining }) => [policy, limit, remaining])).toEqual([
      ['user-requests', 1, 0],
      ['user-tokens', 2_000, expect.any(Number)],
    ]);
  }
  expect(scene.upstream.requests.length).toBe(calls);
  expect(await scene.ctx.db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
  expect((await scene.chat('scripted', {}, key.key)).status).toBe(200);
  expect((await ask(slow, { token_id: key.id })).refusal).toMatchObject({ code: 'rate_limit_exceeded' });
});

test.each<[string, Parameters<RelayScene['newKey']>[0], Record<string, unknown>]>([
  ['a disabled token', { unlimited_quota: true, status: 'disabled' } as never, chatOf('scripted')],
  ['an empty token', { remain_quota: 1 as never }, chatOf('scripted')],
  ['a model that no channel has', { unlimited_quota: true }, chatOf('nothing-of-the-kind')],
  ['a body without messages', { unlimited_quota: true }, { model: 'scripted' }],
  ['an odd limit', { unlimited_quota: true }, { ...chatOf('scripted'), max_tokens: -1 }],
  ['no model', { unlimited_quota: true }, { messages: [] }],
])('judges %s as the relay does, in its words', async (_name, settings, request) => {
  const owner = await scene.createUser('user', { quota: 10_000_000 });
  const key = await keyOf(owner, settings);
  const { refusal } = await ask(owner, { token_id: key.id, request });
  const response = await scene.post('/v1/chat/completions', request, { key: key.key });
  if (response.ok) {
    expect(refusal).toBeNull();
    return;
  }
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  expect(refusal).toEqual({
    status: response.status,
    code: error.code,
    message: error.message.replace(/ \(request id: .*\)$/, ''),
  });
});

describe('quotes for tokens', () => {
  const roles = ['user', 'staff', 'admin'] as const;

  test('users get quotes for their own tokens only', async () => {
    const key = await keyOf(scene.user, { name: 'own', unlimited_quota: true });
    const other = await scene.createUser('user');
    expect((await ask(scene.user, { token_id: key.id })).refusal).toBeNull();
    await expect(ask(other, { token_id: key.id })).rejects.toMatchObject({
      code: 'not-found',
      message: `There is no token ${key.id}, or you may not see it`,
    });
  });

  test.each(roles)('those who see the tokens of a %s in a list may get quotes for them', async (role) => {
    const owner = await createSupport(role);
    const key = await keyOf(owner, { unlimited_quota: true });
    const seen: Record<string, boolean> = {};
    for (const caller of [...(await Promise.all(roles.map(createSupport))), scene.admin]) {
      const listed = await caller
        .api(apiKeys)
        .listOf({ params: { id: owner.id } })
        .then(
          () => true,
          () => false,
        );
      const quoted = await ask(caller, { token_id: key.id }).catch((error: unknown) => error);
      expect(quoted, caller.username).toMatchObject(listed ? { model: 'scripted' } : { code: 'not-found' });
      seen[caller.username.replace(/-\d+$/, '')] = listed;
    }
    expect(seen).toEqual({ user: false, staff: role === 'user', admin: role !== 'admin', root: true });
  });

  test('a deleted user is unknown, and so is a token that never was', async () => {
    const owner = await scene.createUser('user');
    const { id } = await keyOf(owner, { unlimited_quota: true });
    await scene.admin.api(users).remove({ params: { id: owner.id } });
    for (const token_id of [id, apiKeyId.parse(999_999)])
      await expect(ask(scene.admin, { token_id })).rejects.toMatchObject({
        code: 'not-found',
        message: `There is no token ${token_id}, or you may not see it`,
      });
  });
});

/** Creates a user of the role; staff may read users. */
async function createSupport(role: 'user' | 'staff' | 'admin'): Promise<SignedInUser> {
  const created = await scene.createUser(role, { quota: 10_000_000 });
  if (role === 'staff')
    await scene.ctx.db.writer.updateTable('user').set({ staff_role_id: 1 }).where('id', '=', created.id).execute();
  return created;
}
