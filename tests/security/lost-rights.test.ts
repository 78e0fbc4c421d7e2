/** Whoever loses a right loses it at once: for the next request, and for the stream that is running. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ group: ['default', 'vip'] });
});
afterAll(() => scene.close());

/** The upstream sends one each 20 ms. */
const PIECES_OF_A_SECOND = 50;
const piecesSent = (): number => scene.upstream.requests.at(-1)?.piecesSent ?? 0;

const wasted: readonly [string, (owner: SignedInUser, keyId: ApiKeyId) => Promise<unknown>][] = [
  ['the user is disabled', (owner) => scene.admin.api(users).update({ body: { id: owner.id, status: 'disabled' } })],
  ['the user is deleted', (owner) => scene.admin.api(users).remove({ params: { id: owner.id } })],
  ['the token is disabled', (owner, id) => owner.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } })],
  ['the token is deleted', (owner, id) => owner.api(apiKeys).remove({ params: { id } })],
  ['the token is replaced', (owner, id) => owner.api(apiKeys).rotate({ params: { id } })],
];

test.each(wasted)('a running stream ends within a second when %s, and what came is charged', async (_how, change) => {
  const owner = await scene.createUser('user', { quota: 1_000_000 });
  const { id, key } = await owner.api(apiKeys).create({ body: { name: 'test', unlimited_quota: true } });
  const response = await scene.chat('scripted+tokens-400+drip-20ms', { stream: true }, key);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  await change(owner, id);
  const before = piecesSent();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
  expect(piecesSent() - before).toBeLessThan(PIECES_OF_A_SECOND);
  expect(text).toContain('error');
  expect(text).not.toContain('[DONE]');
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({
    type: 'consume',
    usage_source: 'estimated',
    user_id: owner.id,
  });
  expect((await scene.chat('scripted', {}, key)).status).toBe(401);
});

test('a token for a group ends with its owner’s right to that group', async () => {
  const owner = await scene.createUser('user', { group: 'vip', quota: 1_000_000 });
  const vip = await scene.newKey({ unlimited_quota: true, group: 'vip' }, owner);
  const backup = await scene.newKey({ unlimited_quota: true, group: 'default', backup_group: 'vip' }, owner);
  await scene.newChannel({ models: ['scripted-vip'], group: ['vip'] });
  expect((await scene.chat('scripted', {}, vip)).status).toBe(200);
  await scene.admin.api(users).update({ body: { id: owner.id, group: 'default' } });
  expect((await scene.chat('scripted', {}, vip)).status).toBe(403);
  await scene.waitUntilSettled();
  scene.upstream.requests.length = 0;
  expect((await scene.chat('scripted', {}, backup)).status).toBe(200);
  const { data } = await scene.admin.api(userGroups).list({ query: { page: 1, size: 50 } });
  const group = data.find(({ symbol }) => symbol === 'vip');
  if (group === undefined) throw new Error('there is no group vip');
  await scene.admin.api(userGroups).update({ body: { id: group.id, public: true } });
  expect((await scene.chat('scripted', {}, vip)).status).toBe(200);
});
