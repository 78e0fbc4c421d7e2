import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { findProvider } from '@switchyard/relay';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { disableChannel } from '../../channels/health/disable-and-enable-channels.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { recoverChannels } from './jobs.ts';

const stability = findProvider('stability')?.channelType ?? 0;

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

test('a channel whose key is refused twice in a row is disabled, and enabled once it responds', async () => {
  scene.upstream.setScript(() => ({ status: 401 }));
  await scene.chat('scripted');
  expect((await statusOfChannel())?.status).toBe('enabled');
  await scene.chat('scripted');
  await expect.poll(async () => (await statusOfChannel())?.status).toBe('auto-disabled');
  expect((await statusOfChannel())?.reason).toContain('401');
  expect((await scene.chat('scripted')).status).toBe(503);

  await recoverChannels(scene.ctx);
  expect((await statusOfChannel())?.status).toBe('auto-disabled');

  scene.upstream.setScript(undefined);
  await recoverChannels(scene.ctx);
  expect(await statusOfChannel()).toEqual({ status: 'enabled', reason: '' });
  expect((await scene.chat('scripted')).status).toBe(200);
});

test('a client’s own mistakes never take a channel out', async () => {
  scene.upstream.setScript(() => ({ status: 400 }));
  for (let call = 0; call < 10; call += 1) await scene.chat('scripted');
  expect((await statusOfChannel())?.status).toBe('enabled');
});

test('a disabled key of a channel with several keys is enabled once it responds', async () => {
  const id = channelId.parse(
    await scene.newChannel({ key: 'sk-one-1111\nsk-two-2222', keys_as: 'one-channel', test_model: 'scripted' }),
  );
  const list = () => scene.admin.api(channelKeys).list({ params: { id } });
  const [first] = await list();
  await scene.ctx.db.writer
    .insertInto('channel_key_state')
    .values({ channel_id: id, key_id: first?.id ?? '', status: 'auto-disabled', reason: 'refused', since: 1 })
    .execute();
  scene.upstream.setScript(() => ({ status: 401 }));
  await recoverChannels(scene.ctx);
  expect((await list()).map(({ status }) => status)).toEqual(['auto-disabled', 'enabled']);
  scene.upstream.setScript(undefined);
  await recoverChannels(scene.ctx);
  expect((await list()).map(({ status }) => status)).toEqual(['enabled', 'enabled']);
});

describe('a channel whose models no cheap request tests', () => {
  const draw = (model: string) => scene.post('/v1/images/generations', { model, prompt: 'a house' });
  const history = async (id: number) => {
    const { events } = await scene.admin.api(channels).health({ params: { id: channelId.parse(id) } });
    return events.map(({ event }) => event);
  };
  const statusOf = async (id: number) =>
    (await scene.admin.api(channels).get({ params: { id: channelId.parse(id) } })).status;
  const takeOut = (id: number) => disableChannel(scene.ctx, scene.ctx.db.writer, id, 'out of credit');
  const askedTests = () => scene.upstream.requests.filter(({ method }) => method === 'POST');

  test('disables a channel without making an image, tries it with one request at a time, and brings it back', async () => {
    const id = await scene.newChannel({ models: ['flux-2-pro'] });
    const before = askedTests().length;
    scene.upstream.setScript(() => ({ status: 402 }));
    await draw('flux-2-pro');
    await draw('flux-2-pro');
    await expect.poll(() => statusOf(id)).toBe('auto-disabled');
    expect(askedTests().slice(before)).toHaveLength(2);

    // Still unpaid: one client's request is enough to take it out again.
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    await draw('flux-2-pro');
    await expect.poll(() => statusOf(id)).toBe('auto-disabled');
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('auto-disabled');

    scene.upstream.setScript(undefined);
    scene.clock.advance(601);
    // The schedule's own run of the job, if it comes first, still has to inform the relay.
    await scene.waitUntilSettled();
    await recoverChannels(scene.ctx);
    expect((await draw('flux-2-pro')).status).toBe(200);
    expect(await statusOf(id)).toBe('enabled');
    expect(await history(id)).toEqual(['on-trial', 'auto-disabled', 'on-trial', 'auto-disabled']);
  });

  test.each([
    ['images', ['gpt-image-1', 'dall-e-3', 'imagen-4.0-generate-001']],
    ['videos', ['sora-2', 'veo-3.1-generate-preview']],
    ['realtime sessions', ['gpt-realtime']],
    ['drawings', ['mj_imagine']],
    ['whatever a pattern covers', ['house-*']],
  ])('is enabled for %s without a request to a model', async (_what, models) => {
    const id = await scene.newChannel({ models });
    await takeOut(id);
    const before = askedTests().length;
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    expect(askedTests()).toHaveLength(before);
  });

  test.each([
    ['/v1/audio/speech', ['tts-1']],
    ['/v1/audio/transcriptions', ['whisper-1']],
    ['/v1/embeddings', ['text-embedding-3-small']],
    ['/v1/rerank', ['rerank-v3.5']],
    ['/v1/moderations', ['omni-moderation-latest']],
    ['/v1/chat/completions', ['dall-e-3', 'house-model']],
  ])('is tested at %s where one of its models is cheap, and stays out until that answers', async (path, models) => {
    const id = await scene.newChannel({ models });
    await takeOut(id);
    scene.upstream.setScript(() => ({ status: 402 }));
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('auto-disabled');
    scene.upstream.setScript(undefined);
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    expect(askedTests().at(-1)?.path).toBe(path);
  });

  test.each([
    ['no such path', { status: 404, json: { detail: 'Not Found' } }],
    ['no such method', { status: 405, json: { detail: 'Method Not Allowed' } }],
    ['no chat model', { status: 400, json: { error: { message: '"house-7b" does not support chat' } } }],
  ])('is tried by requests where a chat finds %s for a model of a house name', async (_what, reply) => {
    const vendor = await startTestVendor(
      { 'GET /v1/models': () => ({ json: { data: [{ id: 'house-7b' }] } }) },
      () => reply,
    );
    onTestFinished(() => vendor.close());
    const id = await scene.newChannel({ models: ['house-7b'], base_url: vendor.url });
    await takeOut(id);
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    expect(await history(id)).toEqual(['on-trial', 'auto-disabled']);
  });

  test('stays out while its key is refused for nothing', async () => {
    const vendor = await startTestVendor({
      'GET /v1/models': () => ({ status: 401, json: { error: { message: 'Invalid API key' } } }),
    });
    const id = await scene.newChannel({ models: ['sora-2'], base_url: vendor.url });
    await takeOut(id);
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('auto-disabled');
    vendor.handlers['GET /v1/models'] = () => ({ json: { data: [] } });
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    await vendor.close();
  });

  test('stays out while its balance is used up, and needs no trial once it is not', async () => {
    let balance = 0;
    const vendor = await startTestVendor({ 'GET /v1/user/balance': () => ({ json: { credits: balance } }) });
    const id = await scene.newChannel({ type: stability, models: ['stable-image-core'], base_url: vendor.url });
    await takeOut(id);
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('auto-disabled');
    balance = 5;
    await recoverChannels(scene.ctx);
    expect(await statusOf(id)).toBe('enabled');
    expect(await history(id)).toEqual(['auto-enabled', 'auto-disabled']);
    await vendor.close();
  });
});
