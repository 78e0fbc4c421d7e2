import { setImmediate } from 'node:timers/promises';
import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiKeyTable } from '../../accounts/api-keys/table.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { type FeatureApp, startFeatureApp } from '../../testing/start-feature-app.ts';
import type { Snapshot } from './snapshot.ts';
import { loadSnapshot } from './snapshot-loader.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(() => scene.close());

test('a key and its owner are known at every moment while their rows are read again', async () => {
  const snapshot = await loadSnapshot(scene.ctx);
  const hash = scene.ctx.vault.fingerprint(scene.key);
  const key = snapshot.keyByHash(hash);
  const ids = { key: key?.id ?? 0, user: key?.userId ?? 0 };
  const published = [
    scene.ctx.changes.publish({ topic: 'api-keys', ids: [ids.key] }),
    scene.ctx.changes.publish({ topic: 'users', ids: [ids.user] }),
  ];
  expect(snapshot.keyByHash(hash)).toBe(key);
  expect(snapshot.user(ids.user)).toBeDefined();
  await Promise.all(published);
  expect(snapshot.keyByHash(hash)).toEqual(key);
  expect(snapshot.keyByHash(hash)).not.toBe(key);
});

test('a key that was deleted is not known any more', async () => {
  const snapshot = await loadSnapshot(scene.ctx);
  const hash = scene.ctx.vault.fingerprint(await scene.newKey({ name: 'short-lived' }));
  const id = snapshot.keyByHash(hash)?.id;
  if (id === undefined) throw new Error('the key is not known');
  const own = scene.user.api(apiKeys);
  const { id: typed } = (await own.list()).data.find((each) => each.id === id) ?? {};
  if (typed === undefined) throw new Error('the key is not listed');
  await own.remove({ params: { id: typed } });
  expect(snapshot.keyByHash(hash)).toBeUndefined();
});

test.each(['::1/1.5', '::1/NaN', 'anywhere'])(
  'a token with the address %s is not accepted, and all others are',
  async (range) => {
    const { ctx } = scene;
    const hash = ctx.vault.fingerprint(await scene.newKey({ name: 'unreadable' }));
    const limits = {
      limit_model_setting: { enabled: false, models: [] },
      limits_ip_setting: { enabled: true, whitelist: [range] },
    };
    const setting = JSON.stringify({ limits });
    await ctx.db.writer.updateTable('api_key').set({ setting }).where('key_hash', '=', hash).execute();
    const snapshot = await loadSnapshot(ctx);
    expect(snapshot.keyByHash(hash)).toBeUndefined();
    expect(snapshot.keyByHash(ctx.vault.fingerprint(scene.key))).toBeDefined();
  },
);

describe('50,000 tokens', () => {
  const TOKENS = 50_000;
  const STATEMENT_TOKENS = 1_000;
  const hashOf = (nth: number) => `hash-${nth}`;
  const createRow = (userId: number, hash: string): Insertable<ApiKeyTable> => ({
    user_id: userId,
    name: 'customer',
    key_hash: hash,
    key_sealed: '',
    key_hint: '',
    status: 'enabled',
    created_time: 0,
    accessed_time: 0,
    expired_time: -1,
    unlimited_quota: 0,
    group_symbol: '',
    backup_group: '',
    api_rate: 0,
    ratio_micros: 1_000_000,
    setting: JSON.stringify(apiKeySetting.parse({})),
    deleted_time: null,
  });

  let app: FeatureApp;
  let snapshot: Snapshot;

  beforeAll(async () => {
    app = await startFeatureApp([]);
    const { id } = await app.createUser('user');
    for (let from = 0; from < TOKENS; from += STATEMENT_TOKENS) {
      const rows = Array.from({ length: STATEMENT_TOKENS }, (_, nth) => createRow(id, hashOf(from + nth)));
      await app.ctx.db.writer.insertInto('api_key').values(rows).execute();
    }
    snapshot = await loadSnapshot(app.ctx);
  });
  afterAll(() => app.close());

  test('blocks other events for at most 50 ms while all tokens are loaded again', async () => {
    const turn = await measureLongestBlockRepeatedly(() => app.ctx.changes.publish({ topic: 'api-keys' }));
    expect(snapshot.keyByHash(hashOf(TOKENS - 1))).toBeDefined();
    expect(turn).toBeLessThan(50);
  });

  test('keeps every token valid, and loads the changes that are published, while all tokens are loaded again', async () => {
    const ids = [snapshot.keyByHash(hashOf(0)), snapshot.keyByHash(hashOf(TOKENS - 1))].map((key) => key?.id ?? 0);
    const reloaded = app.ctx.changes.publish({ topic: 'api-keys' });
    // The first token has been read by then, and the last one has not.
    await setImmediate();
    expect(ids.map((id) => snapshot.key(id)?.enabled)).toEqual([true, true]);
    await app.ctx.db.writer.updateTable('api_key').set({ status: 'disabled' }).where('id', 'in', ids).execute();
    await Promise.all([reloaded, app.ctx.changes.publish({ topic: 'api-keys', ids })]);
    expect(ids.map((id) => snapshot.key(id)?.enabled)).toEqual([false, false]);
  });
});
