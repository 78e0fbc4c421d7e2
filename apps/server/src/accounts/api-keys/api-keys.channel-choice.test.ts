/** A key has the channel rights of its owner's role only if the credential that created it has them. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { beforeEach, expect, test } from 'vitest';
import { useRelayScene } from '../../testing/relay-scene.ts';
import type { SignedInUser } from '../../testing/start-test-app.ts';
import { createVisitor, type Visitor } from '../../testing/visitor.ts';

const scene = await useRelayScene();
let admin: SignedInUser;
let channel: number;

beforeEach(async () => {
  admin = await scene.createUser('admin', { quota: 1_000_000 });
  channel = await scene.newChannel({ group: ['default', 'vip'] });
});

async function createToken(scopes: Right[]): Promise<Visitor> {
  const body = { name: 'script', scopes, read_only: false, expires_time: 0 };
  const { token } = await admin.api(accessTokens).create({ body });
  return createVisitor(scene.url, { authorization: `Bearer ${token}` });
}

const createKey = async (creator: Pick<Visitor, 'api'>) =>
  creator.api(apiKeys).create({ body: { name: 'test', unlimited_quota: true } });

/** Calls everything that the gateway permits by role. @returns the names of permitted calls */
async function listGranted(key: string): Promise<string[]> {
  const pinned = `${key}#${channel}`;
  const headers = { authorization: `Bearer ${pinned}` };
  const calls = {
    relay: scene.chat('scripted', {}, pinned),
    files: fetch(`${scene.url}/v1/files`, { headers }),
    'fine-tuning': fetch(`${scene.url}/v1/fine_tuning/jobs`, { method: 'POST', headers, body: '{}' }),
    'vector stores': fetch(`${scene.url}/v1/vector_stores`, { headers }),
  };
  const granted: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const response = await call;
    const isRefused = response.status === 403 && (await response.text()).includes('channel_not_allowed');
    if (!isRefused) granted.push(name);
  }
  const usual = await scene.chat('scripted', {}, key);
  expect(usual.status).toBe(200);
  if (usual.headers.has('x-switchyard-channel')) granted.push('name of the channel');
  await usual.text();
  return granted;
}

const all = ['relay', 'files', 'fine-tuning', 'vector stores', 'name of the channel'];

test('a key from an access token for the own account has no channel rights, even after a rotation', async () => {
  const { id, key } = await createKey(await createToken(['user']));
  expect(await listGranted(key)).toEqual([]);
  expect(await listGranted((await admin.api(apiKeys).rotate({ params: { id } })).key)).toEqual([]);
});

test('a key that such a token rotates loses its channel rights', async () => {
  const { id, key } = await createKey(admin);
  expect(await listGranted(key)).toEqual(all);
  const token = await createToken(['user']);
  expect(await listGranted((await token.api(apiKeys).rotate({ params: { id } })).key)).toEqual([]);
});

test('a key from a session, or from a token for channels, keeps them, also after it is rotated', async () => {
  for (const creator of [admin, await createToken(['user', 'channels.write'])]) {
    const { id, key } = await createKey(creator);
    expect(await listGranted(key)).toEqual(all);
    expect(await listGranted((await creator.api(apiKeys).rotate({ params: { id } })).key)).toEqual(all);
  }
});

test('the playground names the channel to a session and to a token for channels only', async () => {
  const askPlayground = async (caller: Pick<Visitor, 'fetch'>): Promise<boolean> => {
    const body = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Hi.' }] });
    const headers = { 'content-type': 'application/json' };
    const response = await caller.fetch('/api/playground/chat/completions', { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    await response.text();
    return response.headers.has('x-switchyard-channel');
  };
  expect(await askPlayground(admin)).toBe(true);
  expect(await askPlayground(await createToken(['user', 'channels.write']))).toBe(true);
  expect(await askPlayground(await createToken(['user']))).toBe(false);
});
