import { settings } from '@switchyard/contract/operations/settings';
import { status } from '@switchyard/contract/operations/site-info';
import { expect, test } from 'vitest';
import { serveRoutes, startFeatureApp, useFeatureApp } from '../../testing/start-feature-app.ts';
import { settingRoutes } from '../settings/routes.ts';
import { statusRoutes } from './routes.ts';

const parts = [serveRoutes(settings, settingRoutes), serveRoutes(status, statusRoutes)];

const app = await useFeatureApp(parts);

test('returns the site’s name and whether it is set up to anonymous callers', async () => {
  const before = await app.anonymous.api(status).get();
  expect(before).toMatchObject({ system_name: 'Switchyard', set_up_needed: true, chat_links: '[]' });
  expect(before.version).toMatch(/^\d+\.\d+\.\d+$/);
  await app.createUser('root');
  expect((await app.anonymous.api(status).get()).set_up_needed).toBe(false);
});

test('serves the texts of about and home page as they were written', async () => {
  const root = await app.createUser('admin').then(() => app.anonymous);
  expect(await root.api(status).about()).toBe('');
  await app.ctx.db.writer.insertInto('setting').values({ name: 'homePage', value: '# Hello' }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  expect(await app.anonymous.api(status).homePage()).toBe('# Hello');
  await expect(app.anonymous.api(settings).list()).rejects.toMatchObject({ code: 'not-signed-in' });
});

test('returns top-up prices as clients of the public API read them', async ({ onTestFinished }) => {
  const app = await startFeatureApp(parts);
  onTestFinished(() => app.close());
  const root = await app.createUser('root');
  expect(await app.anonymous.api(status).get()).toMatchObject({
    PaymentUSDRate: 7.3,
    PaymentMinAmount: 1,
    RechargeDiscount: '{}',
    top_up_terms: '',
  });
  await root.api(settings).updateMany({
    body: [
      { key: 'PaymentMinAmount', value: '5' },
      { key: 'RechargeDiscount', value: '{"100":0.9}' },
      { key: 'TopUpTerms', value: 'No refunds.' },
    ],
  });
  expect(await app.anonymous.api(status).get()).toMatchObject({
    PaymentMinAmount: 5,
    RechargeDiscount: '{"100":0.9}',
    top_up_terms: 'No refunds.',
  });
});

test('lists sign-in methods, and client ids only of enabled ones', async ({ onTestFinished }) => {
  const app = await startFeatureApp(parts);
  onTestFinished(() => app.close());
  const root = await app.createUser('root');
  const set = (...pairs: [key: string, value: string][]) =>
    root.api(settings).updateMany({ body: pairs.map(([key, value]) => ({ key, value })) });
  const read = () => app.anonymous.api(status).get();
  await set(
    ['ServerAddress', 'https://gate.example.com'],
    ['GitHubClientId', 'Iv1.depot'],
    ['GitHubClientSecret', 'canary-of-the-sign-in'],
    ['WeChatAccountQRCodeImageURL', 'https://gate.example.com/qr.png'],
    ['TurnstileSiteKey', '0x-site'],
    ['TurnstileSecretKey', 'canary-of-turnstile'],
  );
  expect(await read()).toMatchObject({
    register_enabled: true,
    register_invite_only: false,
    password_login: true,
    passkey_login: true,
    github_oauth: false,
    github_client_id: '',
    wechat_qrcode: '',
    turnstile_check: false,
    turnstile_site_key: '',
    telegram_bot: '',
  });
  await set(
    ['GitHubOAuthEnabled', 'true'],
    ['TurnstileCheckEnabled', 'true'],
    ['PasswordLoginEnabled', 'false'],
    ['PasswordRegisterEnabled', 'false'],
    ['RegisterInviteOnlyEnabled', 'true'],
  );
  const after = await read();
  expect(after).toMatchObject({
    register_enabled: false,
    register_invite_only: true,
    password_login: false,
    github_oauth: true,
    github_client_id: 'Iv1.depot',
    turnstile_check: true,
    turnstile_site_key: '0x-site',
  });
  expect(JSON.stringify(after)).not.toContain('canary');
});
