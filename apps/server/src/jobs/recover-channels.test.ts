import { channelKeys } from '@switchyard/contract/channel-keys';
import { channels } from '@switchyard/contract/channels';
import { channelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { recoverChannels } from './recover-channels.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.admin.api(settings).update({ body: { key: 'RetryCooldownSeconds', value: '0' } });
  await scene.newChannel({ test_model: 'scripted' });
});
afterAll(() => scene.close());

const statusOfChannel = async () => {
  const [channel] = (await scene.admin.api(channels).list({})).data;
  return channel === undefined ? undefined : { status: channel.status, reason: channel.disabled_reason };
};

test('a channel whose key is refused twice in a row is taken out with its reason, and comes back once it answers', async () => {
  scene.upstream.follow(() => ({ status: 401 }));
  await scene.chat('scripted');
  expect((await statusOfChannel())?.status).toBe('enabled');
  await scene.chat('scripted');
  await expect.poll(async () => (await statusOfChannel())?.status).toBe('auto-disabled');
  expect((await statusOfChannel())?.reason).toContain('401');
  expect((await scene.chat('scripted')).status).toBe(503);

  await recoverChannels(scene.ctx);
  expect((await statusOfChannel())?.status).toBe('auto-disabled');

  scene.upstream.follow(undefined);
  await recoverChannels(scene.ctx);
  expect(await statusOfChannel()).toEqual({ status: 'enabled', reason: '' });
  expect((await scene.chat('scripted')).status).toBe(200);
});

test('a client’s own mistakes never take a channel out', async () => {
  scene.upstream.follow(() => ({ status: 400 }));
  for (let call = 0; call < 10; call += 1) await scene.chat('scripted');
  expect((await statusOfChannel())?.status).toBe('enabled');
});

test('a key that was taken out of a channel with others comes back once it answers', async () => {
  const id = channelId.parse(
    await scene.newChannel({
      key: 'sk-one-1111\nsk-two-2222',
      keys_as: 'one-channel',
      test_model: 'scripted',
    }),
  );
  const list = () => scene.admin.api(channelKeys).list({ params: { id } });
  const [first] = await list();
  await scene.ctx.db.writer
    .insertInto('channel_key_state')
    .values({ channel_id: id, key_id: first?.id ?? '', status: 'auto-disabled', reason: 'refused', since: 1 })
    .execute();
  scene.upstream.follow(() => ({ status: 401 }));
  await recoverChannels(scene.ctx);
  expect((await list()).map(({ status }) => status)).toEqual(['auto-disabled', 'enabled']);
  scene.upstream.follow(undefined);
  await recoverChannels(scene.ctx);
  expect((await list()).map(({ status }) => status)).toEqual(['enabled', 'enabled']);
});
