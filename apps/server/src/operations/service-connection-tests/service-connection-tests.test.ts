import { serviceTests } from '@switchyard/contract/operations/service-connection-tests';
import { afterAll, expect, test } from 'vitest';
import { startSignInProvidersScene } from '../../testing/identity-providers-scene.ts';
import { botToken, startTelegramServer } from '../../testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { startTurnstileServer } from '../../testing/turnstile-server.ts';
import { serviceTestRoutes } from './routes.ts';

const SECRET = '0x-turnstile-secret';
const [scene, telegram, turnstile] = await Promise.all([
  startSignInProvidersScene([serveRoutes(serviceTests, serviceTestRoutes)]),
  startTelegramServer(),
  startTurnstileServer(SECRET),
]);
afterAll(() => Promise.all([scene.close(), telegram.close(), turnstile.close()]));
const app = await useFeatureApp([serveRoutes(serviceTests, serviceTestRoutes)], {
  config: { turnstileUrl: turnstile.url },
  originOverrides: { 'https://api.telegram.org': telegram.url },
});
const api = (await app.createUser('root')).api(serviceTests);
const signIns = (await scene.app.createUser('root')).api(serviceTests);

test.each([
  ['github', 'GitHubClientSecret', /client ID/],
  ['oidc', 'OIDCClientSecret', /invalid_client/],
  ['lark', 'LarkClientSecret', /open-apis/],
] as const)('%s takes what is set, and says what it does not take', async (service, secret, reason) => {
  expect(await signIns.run({ params: { service } })).toEqual({ name: '' });
  await setOptions(scene.app.ctx, { [secret]: 'another one' });
  const failure = await signIns.run({ params: { service } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'upstream-failed', message: expect.stringMatching(reason) });
  expect(String(failure)).not.toContain('another one');
});

test('a WeChat server is reached, or not', async () => {
  expect(await signIns.run({ params: { service: 'wechat' } })).toEqual({ name: '' });
  await setOptions(scene.app.ctx, { WeChatServerAddress: 'http://127.0.0.1:9' });
  await expect(signIns.run({ params: { service: 'wechat' } })).rejects.toMatchObject({ code: 'upstream-failed' });
});

test('returns the bot’s name, and reports an invalid token', async () => {
  await setOptions(app.ctx, { TelegramBotToken: botToken });
  expect(await api.run({ params: { service: 'telegram' } })).toEqual({ name: '@gate_bot' });
  await setOptions(app.ctx, { TelegramBotToken: '1:wrong' });
  const failure = await api.run({ params: { service: 'telegram' } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'upstream-failed' });
  expect(String(failure)).not.toContain('1:wrong');
});

test('Turnstile takes its secret, and refuses another', async () => {
  await setOptions(app.ctx, { TurnstileSecretKey: SECRET });
  expect(await api.run({ params: { service: 'turnstile' } })).toEqual({ name: '' });
  await setOptions(app.ctx, { TurnstileSecretKey: '0x-another' });
  await expect(api.run({ params: { service: 'turnstile' } })).rejects.toMatchObject({
    code: 'upstream-failed',
    message: 'invalid-input-secret',
  });
});

test('does not call an unconfigured service; only root may test, a few times a minute', async () => {
  await expect(api.run({ params: { service: 'github' } })).rejects.toMatchObject({ code: 'not-set-up' });
  const admin = (await app.createUser('admin')).api(serviceTests);
  await expect(admin.run({ params: { service: 'github' } })).rejects.toMatchObject({ code: 'not-allowed' });
  const additional = Array.from({ length: 10 }, () => api.run({ params: { service: 'github' } }));
  const codes = (await Promise.allSettled(additional)).map((one) =>
    one.status === 'rejected' ? (one.reason as { code: string }).code : 'done',
  );
  expect(codes).toContain('too-many-requests');
});
