import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;
let channelId: ChannelId;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ test_model: 'scripted' });
  const [channel] = (await scene.admin.api(channels).list({})).data;
  if (channel === undefined) throw new Error('there is no channel');
  channelId = channel.id;
});
afterAll(() => scene.close());
beforeEach(() => scene.upstream.setScript(undefined));

const byId = () => ({ params: { id: channelId } });
const health = () => scene.admin.api(channels).health(byId());
const status = async () => (await scene.admin.api(channels).get(byId())).status;

test('a model that fails again and again opens its breaker, is shown so, and is used again by hand', async () => {
  scene.upstream.setScript(() => ({ status: 500 }));
  for (let call = 0; call < 5; call += 1) await scene.chat('scripted');
  const [failing] = (await health()).models;
  expect(failing).toMatchObject({ model: 'scripted', breaker: 'open', failures_in_row: 5, first_content_time: null });
  expect(failing?.open_until).toBeGreaterThan(Date.now() / 1000);
  expect((await scene.admin.api(channels).get(byId())).cooldown_until).toBeGreaterThan(0);

  await scene.admin.api(channels).resume(byId());
  expect((await health()).models).toMatchObject([
    { breaker: 'closed', open_until: 0, failures_in_row: 0, rests_until: 0 },
  ]);
  expect((await scene.admin.api(channels).get(byId())).cooldown_until).toBe(0);
});

test('one model’s failures leave the others alone', async () => {
  scene.upstream.setScript(({ json }) => (json['model'] === 'scripted-bad' ? { status: 500 } : undefined));
  for (let call = 0; call < 5; call += 1) await scene.chat('scripted-bad');
  await (await scene.chat('scripted-good')).text();
  const { models } = await health();
  expect(models.find(({ model }) => model === 'scripted-bad')?.breaker).toBe('open');
  const good = models.find(({ model }) => model === 'scripted-good');
  expect(good).toMatchObject({ breaker: 'closed', rests_until: 0 });
  expect(good?.first_content_time).toBeGreaterThanOrEqual(0);
});

test('a refusal that only the content of a client’s request causes never takes the channel out', async () => {
  await scene.admin.api(settings).update({ body: { key: 'RetryCooldownSeconds', value: '0' } });
  scene.upstream.setScript(({ body }) => (body.includes('forbidden words') ? { status: 403 } : undefined));
  const messages = [{ role: 'user', content: 'forbidden words' }];
  scene.upstream.requests.length = 0;
  for (let call = 0; call < 20; call += 1) await scene.chat('scripted', { messages });
  // The gateway has asked for itself, once a minute at most, and was answered.
  const own = () => scene.upstream.requests.filter(({ body }) => !body.includes('forbidden words'));
  await expect.poll(() => own().filter(({ finishedAt }) => finishedAt !== undefined).length).toBe(1);
  expect(own()).toHaveLength(1);
  expect(await status()).toBe('enabled');
  expect((await health()).events).toEqual([]);
});

test('the history shows why a channel was disabled and who enabled it again, newest first', async () => {
  scene.clock.advance(61);
  scene.upstream.setScript(() => ({ status: 401 }));
  for (let call = 0; call < 2; call += 1) await scene.chat('scripted');
  await expect.poll(status).toBe('auto-disabled');
  await scene.admin.api(channels).update({ body: { id: channelId, status: 'enabled' } });
  const { events } = await health();
  expect(events).toMatchObject([
    { event: 'enabled', reason: '', username: scene.admin.username },
    { event: 'auto-disabled', username: '' },
  ]);
  expect(events[1]?.reason).toContain('401');
});

test('health and resume are the administrators’ business', async () => {
  await expect(scene.user.api(channels).health(byId())).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(scene.user.api(channels).resume(byId())).rejects.toMatchObject({ code: 'not-allowed' });
});
