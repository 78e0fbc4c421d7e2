/** A lost right is lost at once, for the next request and for a running stream. */
import { createServer } from 'node:http';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { type ApiKeyId, apiKeyId } from '@switchyard/contract/ids';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { addPasskey, addTotp } from '../../apps/server/src/testing/second-factors.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { listen } from '../listen.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ group: ['default', 'vip'] });
});
afterAll(() => scene.close());

/** The upstream sends one event each 20 ms. */
const PIECES_OF_A_SECOND = 50;
const piecesSent = (): number => scene.upstream.requests.at(-1)?.piecesSent ?? 0;
/** The gateway may still drain the upstream for its usage report, but the client gets nothing after the error. */
const textAfterError = (text: string): string => text.slice(text.indexOf('"error"'));

const otherAddressesOnly = { limits: { limits_ip_setting: { enabled: true, whitelist: ['192.0.2.0/24'] } } };

const wasted: readonly [string, (owner: SignedInUser, keyId: ApiKeyId) => Promise<unknown>, reason: string][] = [
  [
    'the user is disabled',
    (owner) => scene.admin.api(users).update({ body: { id: owner.id, status: 'disabled' } }),
    'Your account was disabled or deleted. Ask an administrator.',
  ],
  [
    'the user is deleted',
    (owner) => scene.admin.api(users).remove({ params: { id: owner.id } }),
    'Your account was disabled or deleted. Ask an administrator.',
  ],
  [
    'the token is disabled',
    (owner, id) => owner.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } }),
    'is disabled. Enable it in the console',
  ],
  [
    'the token is deleted',
    (owner, id) => owner.api(apiKeys).remove({ params: { id } }),
    'was deleted, or its key replaced. Use another key.',
  ],
  [
    'the token is replaced',
    (owner, id) => owner.api(apiKeys).rotate({ params: { id } }),
    'was deleted, or its key replaced. Use another key.',
  ],
  [
    'the token expires',
    (owner, id) => owner.api(apiKeys).update({ query: {}, body: { id, expired_time: 1_600_000_000 } }),
    'expired at 2020-09-13',
  ],
  [
    'the token may be used from other addresses only',
    (owner, id) => owner.api(apiKeys).update({ query: {}, body: { id, setting: otherAddressesOnly } }),
    'may not be used from',
  ],
];

test.each(wasted)(
  'a running stream ends within a second when %s, and its delivered part is charged',
  async (_how, change, reason) => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const { id, key } = await owner.api(apiKeys).create({ body: { name: 'test', unlimited_quota: true } });
    const response = await scene.chat('scripted+tokens-400+drip-20ms', { stream: true }, key);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    await change(owner, id);
    const before = piecesSent();
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
    expect(piecesSent() - before).toBeLessThan(PIECES_OF_A_SECOND);
    expect(textAfterError(text)).toContain(reason);
    expect(textAfterError(text)).not.toContain('"delta"');
    expect(text).not.toContain('[DONE]');
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)).toMatchObject({
      type: 'consume',
      usage_source: 'estimated',
      user_id: owner.id,
    });
    expect([401, 403]).toContain((await scene.chat('scripted', {}, key)).status);
  },
);

const dethroned: readonly [string, (admin: SignedInUser) => Promise<unknown>][] = [
  ['the administrator is demoted', (admin) => scene.admin.api(users).update({ body: { id: admin.id, role: 'user' } })],
  ['the administrator lacks the second factor that is due', suspendRole],
];

async function suspendRole({ id }: SignedInUser): Promise<void> {
  await scene.ctx.db.writer.updateTable('user').set({ role_since: 0 }).where('id', '=', id).execute();
  await scene.ctx.changes.publish({ topic: 'users', ids: [id] });
}

test.each(dethroned)('a stream of a pinned channel ends within a second when %s', async (_how, change) => {
  const admin = await scene.createUser('admin', { quota: 1_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, admin);
  const id = await scene.newChannel({ models: ['scripted-pinned'], group: ['vip'] });
  const response = await scene.chat('scripted+tokens-400+drip-20ms', { stream: true }, `${key}#${id}`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  await change(admin);
  const before = piecesSent();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
  expect(piecesSent() - before).toBeLessThan(PIECES_OF_A_SECOND);
  expect(text).toContain('channel_not_allowed');
  expect(textAfterError(text)).not.toContain('"delta"');
  expect(text).not.toContain('[DONE]');
  await scene.waitUntilSettled();
  expect((await scene.chat('scripted', {}, key)).status).toBe(200);
});

test.each([...dethroned, ...wasted.slice(0, 1).map(([how, change]) => [how, change] as const)])(
  'a passthrough call ends within a second when %s',
  async (_how, change) => {
    const taken = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const vendor = createServer((request, response) => {
      request.resume();
      response.once('close', () => left.resolve());
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).write('the first bytes');
      taken.resolve();
    });
    const port = await listen(vendor);
    onTestFinished(() => void vendor.close());
    const admin = await scene.createUser('admin', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, admin);
    // A separate model, because the vendor is gone after this test.
    const id = await scene.newChannel({
      base_url: `http://127.0.0.1:${port}`,
      models: ['scripted-files'],
      group: ['vip'],
    });
    const headers = { authorization: `Bearer ${key}#${id}` };
    const response = await fetch(`${scene.url}/v1/files/file-1/content`, { headers });
    await taken.promise;
    expect(response.status).toBe(200);
    await change(admin, apiKeyId.parse(1));
    await expect(response.text()).rejects.toThrow();
    await left.promise;
  },
);

/** Reads the first piece. @returns a function that reads the rest, and fails if the connection breaks */
async function readFirstPiece({ status, body }: Response): Promise<() => Promise<string>> {
  expect(status).toBe(200);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  return async () => {
    let text = '';
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) text += piece.value;
    return text;
  };
}

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const chat = { messages: [{ role: 'user', content: 'Say something.' }], stream: true };
const SLOW = 'scripted+tokens-400+drip-20ms';

const ofSession: readonly [string, (owner: SignedInUser) => Promise<Response>][] = [
  ['an export', exportAccount],
  ['the playground', (owner) => owner.fetch('/api/playground/chat/completions', json({ model: SLOW, ...chat }))],
];

/** Starts the export of an account that is larger than a connection's buffers. */
async function exportAccount(owner: SignedInUser): Promise<Response> {
  const now = Math.floor(scene.clock.now() / 1000);
  const content = JSON.stringify({ filler: 'x'.repeat(1_500_000) });
  for (let nth = 0; nth < 20; nth += 1)
    await scene.ctx.db.writer
      .insertInto('conversation')
      .values({ user_id: owner.id, title: `${nth}`, version: 1, created_time: now, updated_time: now, content })
      .execute();
  return owner.fetch('/api/user/export');
}

const lostSessions: readonly [string, (owner: SignedInUser) => Promise<unknown>][] = [
  ['the account is disabled', ({ id }) => scene.admin.api(users).update({ body: { id, status: 'disabled' } })],
  ['the session ends', (owner) => owner.fetch('/api/user/logout')],
];

test.each(ofSession.flatMap(([what, start]) => lostSessions.map(([how, lose]) => ({ what, start, how, lose }))))(
  '$what ends within a second when $how',
  async ({ start, lose }) => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const readRest = await readFirstPiece(await start(owner));
    await lose(owner);
    // The client does not read until the check has run, so that only its own buffers have more.
    await sleep(systemTimers, 1_100);
    const rest = await readRest().catch(() => 'broken');
    expect(rest === 'broken' || rest.includes('"error"')).toBe(true);
    expect(textAfterError(rest)).not.toContain('"delta"');
  },
);

const ofKey: readonly [string, (key: string, owner: SignedInUser) => Promise<Response>][] = [
  ['a background response that another token follows', followResponse],
  ['the content of a batch file', downloadFile],
];

async function followResponse(key: string, owner: SignedInUser): Promise<Response> {
  const other = await scene.newKey({ unlimited_quota: true }, owner);
  const request = { model: SLOW, input: 'Say something.', background: true, stream: true };
  const made = await scene.post('/v1/responses', request, { key: other });
  const { value } = (await made.body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
  const id = /resp_\w+/.exec(value ?? '')?.[0];
  return fetch(`${scene.url}/v1/responses/${id}?stream=true`, { headers: { authorization: `Bearer ${key}` } });
}

async function downloadFile(key: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}\n'.repeat(10_000_000)]), 'input.jsonl');
  const uploaded = await fetch(`${scene.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = z.object({ id: z.string() }).parse(await uploaded.json());
  return fetch(`${scene.url}/v1/files/${id}/content`, { headers });
}

const lostKeys = wasted.filter(([how]) => /is disabled|expires|other addresses/.test(how));

test.each(ofKey.flatMap(([what, start]) => lostKeys.map(([how, lose]) => ({ what, start, how, lose }))))(
  '$what ends within a second when $how',
  async ({ start, lose }) => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const { id, key } = await owner.api(apiKeys).create({ body: { name: 'test', unlimited_quota: true } });
    const readRest = await readFirstPiece(await start(key, owner));
    await lose(owner, id);
    await sleep(systemTimers, 1_100);
    await expect(readRest()).rejects.toThrow();
  },
);

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

describe('a role that requires a second factor', () => {
  /** Statuses of a call of a model and of a passthrough call, both pinned to the channel. */
  const callPinned = async (key: string, channel: number): Promise<boolean[]> => {
    const pinned = `${key}#${channel}`;
    const files = await fetch(`${scene.url}/v1/files`, { headers: { authorization: `Bearer ${pinned}` } });
    const responses = [await scene.chat('scripted-pinned', {}, pinned), files];
    const texts = await Promise.all(responses.map((response) => response.text()));
    return texts.map((text) => !text.includes('channel_not_allowed'));
  };
  const startAdmin = async () => {
    const admin = await scene.createUser('admin', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, admin);
    const channel = await scene.newChannel({ models: ['scripted-pinned'], group: ['vip'] });
    expect(await callPinned(key, channel)).toEqual([true, true]);
    return { admin, key, channel };
  };

  test('a role pins no request without a second factor, and pins one as soon as there is one', async () => {
    const { admin, key, channel } = await startAdmin();
    await suspendRole(admin);
    expect(await callPinned(key, channel)).toEqual([false, false]);
    expect((await scene.chat('scripted', {}, key)).headers.get('x-switchyard-channel')).toBeNull();
    await addTotp(admin, () => scene.clock.now());
    expect(await callPinned(key, channel)).toEqual([true, true]);
    await admin.api(secondFactor).removeTotp();
    expect(await callPinned(key, channel)).toEqual([false, false]);
    await addPasskey(admin, scene.url);
    expect(await callPinned(key, channel)).toEqual([true, true]);
    const [passkey] = await admin.api(passkeys).list();
    if (passkey === undefined) throw new Error('there is no passkey');
    await admin.api(passkeys).remove({ params: { id: passkey.id } });
    expect(await callPinned(key, channel)).toEqual([false, false]);
    await addTotp(admin, () => scene.clock.now() + 30_000);
    await scene.admin.api(secondFactor).reset({ params: { id: admin.id } });
    expect(await callPinned(key, channel)).toEqual([false, false]);
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
  });

  test('a role pins no request after the grace period, although nothing has changed', async () => {
    const { key, channel } = await startAdmin();
    scene.clock.advance(8 * 86_400);
    expect(await callPinned(key, channel)).toEqual([false, false]);
  });
});
