import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
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
