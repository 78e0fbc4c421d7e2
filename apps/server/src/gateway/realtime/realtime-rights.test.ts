import { type ApiKey, type ApiKeySetting, apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { users } from '@switchyard/contract/accounts/users';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import {
  closeRealtime,
  connectRealtime,
  getErrorCode,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import type { SignedInUser } from '../../testing/start-test-app.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 1_000_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const settingOf = (limits: Partial<ApiKeySetting['limits']>): ApiKeySetting => {
  const setting = apiKeySetting.parse({});
  return { ...setting, limits: { ...setting.limits, ...limits } };
};
const onlyModels = (...models: string[]) => settingOf({ limit_model_setting: { enabled: true, models } });

async function opened(name: string, limits: { api_rate?: number; setting?: ApiKeySetting }, model = 'live') {
  const key = await scene.newKey({ name, unlimited_quota: true, ...limits });
  const caller = connectRealtime(scene, model, { key });
  await caller.waitForEvent('session.created');
  const { data } = await scene.user.api(apiKeys).list({ query: { page: 1, size: 100 } });
  const created = data.find((one) => one.name === name);
  if (created === undefined) throw new Error('there is no such key');
  return { caller, id: created.id };
}

const change = (id: ApiKey['id'], changes: Partial<Pick<ApiKey, 'setting' | 'expired_time'>>) =>
  scene.user.api(apiKeys).update({ body: { id, ...changes } });

async function respond(caller: RealtimeTestClient): Promise<void> {
  caller.send({ type: 'response.create' });
  await caller.waitForEvent('response.done');
}

async function endedWith(caller: RealtimeTestClient): Promise<unknown> {
  const code = getErrorCode(await caller.waitForEvent('error'));
  expect((await caller.closed).code).toBe(1008);
  await expect.poll(() => upstream.sessions.at(-1)?.closed).toBeDefined();
  return code;
}

describe('the limits of a session’s token', () => {
  test('each response of a session counts as a request, the first one being the session itself', async () => {
    const { caller } = await opened('three requests', { api_rate: 3 });
    for (let response = 0; response < 3; response += 1) await respond(caller);
    caller.send({ type: 'response.create' });
    expect(await endedWith(caller)).toBe('rate_limit_exceeded');
    expect(caller.events.filter(({ type }) => type === 'response.created')).toHaveLength(3);
  });

  test('each response takes its tokens when it is done, which may leave too few for the next', async () => {
    const { caller } = await opened('few tokens', { setting: settingOf({ tokens_per_minute: 1_100 }) });
    // 253 each: the request's own estimate no longer fits after the first.
    await respond(caller);
    caller.send({ type: 'response.create' });
    expect(await endedWith(caller)).toBe('rate_limit_exceeded');
  });

  test('refunds the tokens of a response that never came', async () => {
    const setting = settingOf({ tokens_per_minute: 1_100 });
    const key = await scene.newKey({ unlimited_quota: true, setting });
    for (let session = 0; session < 3; session += 1) {
      const caller = connectRealtime(scene, 'live', { key });
      await caller.waitForEvent('session.created');
      await closeRealtime(caller);
      await scene.waitUntilSettled();
    }
  });
});

/** The administrator's grace period is over. */
async function lackSecondFactor({ id }: SignedInUser): Promise<void> {
  await scene.ctx.db.writer.updateTable('user').set({ role_since: 0 }).where('id', '=', id).execute();
  await scene.ctx.changes.publish({ topic: 'users', ids: [id] });
}

/** Interval of the checks of rights, and a little more. */
const pass = () => scene.clock.advance(1.5);

describe('a session whose permissions change', () => {
  test('ends the session within about a second when its token expires', async () => {
    const { caller, id } = await opened('expires', {});
    await change(id, { expired_time: Math.floor(scene.ctx.clock.now() / 1000) + 5 });
    scene.clock.advance(6);
    expect(await endedWith(caller)).toBe('api_key_expired');
  });

  test('ends the session when its token may no longer be used from its address', async () => {
    const { caller, id } = await opened('moved', {});
    await change(id, { setting: settingOf({ limits_ip_setting: { enabled: true, whitelist: ['192.0.2.1'] } }) });
    pass();
    expect(await endedWith(caller)).toBe('address_not_allowed');
  });

  test('ends the session when its token may no longer use the model', async () => {
    const { caller, id } = await opened('other model', {});
    await change(id, { setting: onlyModels('other') });
    pass();
    expect(await endedWith(caller)).toBe('model_not_allowed');
  });

  test('ends the session when its channel is disabled', async () => {
    const id = await scene.newChannel({ models: ['taken-out'], base_url: upstream.url });
    const { caller } = await opened('taken out', {}, 'taken-out');
    await scene.admin.api(channels).update({ body: { id: channelId.parse(id), status: 'disabled' } });
    pass();
    expect(await endedWith(caller)).toBe('no_available_channel');
  });

  test.each([
    ['offers another model', { models: ['another'] }],
    ['serves another group', { group: ['vip'] }],
  ])('ends the session when its channel %s', async (what, changes) => {
    const model = what.replaceAll(' ', '-');
    const id = channelId.parse(await scene.newChannel({ models: [model], base_url: upstream.url }));
    const { caller } = await opened(what, {}, model);
    await scene.admin.api(channels).update({ body: { id, priority: 7 } });
    pass();
    await respond(caller);
    await scene.admin.api(channels).update({ body: { id, ...changes } });
    pass();
    expect(await endedWith(caller)).toBe('no_available_channel');
  });

  test.each([
    ['is demoted', (admin: SignedInUser) => scene.admin.api(users).update({ body: { id: admin.id, role: 'user' } })],
    ['lacks the second factor that is due', lackSecondFactor],
  ])('ends the session on a pinned channel when its administrator %s', async (_how, change) => {
    const admin = await scene.createUser('admin', { quota: 1_000_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, admin);
    const id = await scene.newChannel({ models: ['another'], group: ['vip'], base_url: upstream.url });
    const caller = connectRealtime(scene, 'live', { key: `${key}#${id}` });
    await caller.waitForEvent('session.created');
    pass();
    await respond(caller);
    await change(admin);
    pass();
    expect(await endedWith(caller)).toBe('channel_not_allowed');
  });
});

test('refuses a transcription model that channels offer to other groups only', async () => {
  await scene.newChannel({ models: ['vip-transcriber'], group: ['vip'], base_url: upstream.url });
  const { caller } = await opened('any model', {});
  caller.send({ type: 'session.update', session: { input_audio_transcription: { model: 'vip-transcriber' } } });
  const message = 'The model vip-transcriber is not available to your group default. GET /v1/models lists your models.';
  expect(await caller.waitForEvent('error')).toMatchObject({
    error: { code: 'model_not_allowed', message: expect.stringContaining(message) },
  });
  expect(upstream.sessions.at(-1)?.receivedEvents).toEqual([]);
});

describe('a token with some models only', () => {
  const transcribedBy = (model: string) => [
    { type: 'session.update', session: { audio: { input: { transcription: { model } } } } },
    { type: 'session.update', session: { input_audio_transcription: { model } } },
  ];

  test.each(transcribedBy('dear-transcriber'))('does not get another one to transcribe: %j', async (event) => {
    const { caller } = await opened(`scoped ${JSON.stringify(event).length}`, { setting: onlyModels('live') });
    caller.send(event);
    expect(await endedWith(caller)).toBe('model_not_allowed');
    expect(upstream.sessions.at(-1)?.receivedEvents).toEqual([]);
  });

  const settings = (model: string) => `{"audio":{"input":{"transcription":{"model":"${model}"}}}}`;
  test.each([
    ['a type', `{"type":"session.update","session":${settings('dearer')},"type":"input_audio_buffer.clear"}`],
    ['the settings', `{"type":"session.update","session":${settings('dearer')},"session":${settings('whisper-1')}}`],
    ['the model', `{"type":"session.update","session":${settings('dearer","model":"whisper-1')}}`],
  ])('sends the checked value to the upstream when an event has %s twice', async (what, event) => {
    const { caller } = await opened(`scoped twice ${what}`, { setting: onlyModels('live', 'whisper-1') });
    caller.socket.send(event);
    await expect.poll(() => upstream.sessions.at(-1)?.receivedTexts).toEqual([JSON.stringify(JSON.parse(event))]);
    await closeRealtime(caller);
  });

  test('sends the upstream no message that is not a JSON object', async () => {
    const { caller } = await opened('scoped with NaN', { setting: onlyModels('live') });
    caller.socket.send(`{"type":"session.update","session":${settings('dearer')},"event_id":NaN}`);
    expect(await endedWith(caller)).toBe('invalid_request');
    expect(upstream.sessions.at(-1)?.receivedTexts).toEqual([]);
  });

  test('gets those to transcribe that it names', async () => {
    const { caller } = await opened('scoped well', { setting: onlyModels('live', 'whisper-1') });
    for (const event of transcribedBy('whisper-1')) caller.send(event);
    await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents).toEqual(transcribedBy('whisper-1'));
    await closeRealtime(caller);
  });

  test('keeps the model of the address, which the upstream hears by the name that it knows', async () => {
    await scene.newChannel({
      models: ['mapped'],
      base_url: upstream.url,
      model_mapping: { mapped: 'live-deployment' },
    });
    const { caller } = await opened('mapped', {}, 'mapped');
    caller.send({ type: 'session.update', session: { model: 'mapped' } });
    await expect
      .poll(() => upstream.sessions.at(-1)?.receivedEvents)
      .toEqual([{ type: 'session.update', session: { model: 'live-deployment' } }]);
    caller.send({ type: 'session.update', session: { model: 'dearer' } });
    expect(await endedWith(caller)).toBe('invalid_request');
    expect(upstream.sessions.at(-1)?.receivedEvents).toHaveLength(1);
  });
});
