import { mail } from '@switchyard/contract/operations/mail';
import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../testing/mail-server.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { isMailConfigured, queueMail, startMailDelivery } from './mail.ts';
import { mailRoutes } from './routes.ts';

const ADDRESS = 'https://gate.example';
const app = await useFeatureApp([runInBackground(startMailDelivery), serveRoutes(mail, mailRoutes)]);
const root = await app.createUser('root');
const api = root.api(mail);

const set = (options: Readonly<Record<string, string>>) => setOptions(app.ctx, options);
const sendTest = (to = 'ann@example.org') => api.test({ body: { to } });

async function startMail() {
  const server = await startMailServer();
  onTestFinished(() => server.close());
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    SMTPFrom: 'gate@gate.example',
    ServerAddress: ADDRESS,
    Language: 'en_US',
  });
  app.clock.advance(60);
  return server;
}

const reset = (to: string, link = `${ADDRESS}/reset?token=s3cret`) =>
  queueMail(app.ctx, { to, template: 'password-reset', language: 'en_US', values: { link, minutes: 15 } });

test('without a mail server there is no mail, which the test reports', async () => {
  await expect(sendTest()).rejects.toMatchObject({
    code: 'not-set-up',
    message: 'The mail server is not configured. Set the SMTP server in the settings.',
  });
  expect(isMailConfigured(app.ctx)).toBe(false);
  expect(await reset('ann@example.org')).toBe(false);
  expect((await api.list()).data).toEqual([]);
});

test('without an address of the site there is no mail either', async () => {
  await startMail();
  await set({ ServerAddress: '' });
  await expect(sendTest()).rejects.toMatchObject({
    code: 'not-set-up',
    message: 'The public URL of this site is not set. Set the server address in the settings, or PUBLIC_URL.',
  });
  expect(await reset('ann@example.org')).toBe(false);
});

test('a test mail is sent at once and returns the mail server’s response', async () => {
  const server = await startMail();
  expect((await sendTest()).response).toMatch(/^250/);
  expect(await server.waitForNext()).toMatchObject({ to: 'ann@example.org', subject: 'Test email' });
});

test('a rejected test mail returns the reason', async () => {
  const server = await startMail();
  server.setBehaviour((stage) => (stage === 'recipient' ? '550 5.1.1 no such person' : 'go-on'));
  await expect(sendTest()).rejects.toMatchObject({
    code: 'upstream-failed',
    message: expect.stringContaining('no such person'),
  });
});

test('a sender who is no mail address is refused; one with a name before it sends under the address', async () => {
  const server = await startMail();
  await expect(set({ SMTPFrom: 'gate' })).rejects.toMatchObject({ fields: [{ path: 'SMTPFrom' }] });
  await set({ SMTPFrom: 'Old name <gate@gate.example>' });
  await sendTest();
  expect((await server.waitForNext()).from).toBe('gate@gate.example');
});

test('five tests a minute', async () => {
  await startMail();
  for (let count = 0; count < 5; count += 1) await sendTest();
  await expect(sendTest()).rejects.toMatchObject({ code: 'too-many-requests' });
});

test.each(['ann@example.org, eve@example.org', 'ann@example.org\r\nBcc: eve@example.org', 'Ann <ann@example.org>', ''])(
  'nothing but one plain address is written to: %j',
  async (to) => {
    await startMail();
    const answer = await root.fetch('/api/mail/test', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to }),
    });
    expect(answer.status).toBe(400);
    await expect(reset(to)).rejects.toMatchObject({ code: 'invalid-input' });
  },
);

test('a link that leads away from the site is not mailed', async () => {
  await startMail();
  for (const link of ['https://evil.example/reset', `${ADDRESS}.evil.example/`, 'javascript:alert(1)'])
    await expect(reset('ann@example.org', link)).rejects.toThrow('links to another site');
  expect((await api.list()).data).toEqual([]);
});

test('lists queued and failed mails without their content', async () => {
  const server = await startMail();
  server.setBehaviour((stage, address) =>
    stage !== 'recipient' ? 'go-on' : address.startsWith('gone') ? '550 5.1.1 no such person' : '451 4.7.1 later',
  );
  await reset('gone@example.org');
  await reset('ann@example.org');
  await expect
    .poll(async () => (await api.list()).data.map(({ last_error }) => last_error).filter(Boolean).length)
    .toBe(2);
  expect((await api.list({ query: { state: 'failed' } })).data).toMatchObject([
    { to: 'gone@example.org', template: 'password-reset', state: 'failed', tries: 1 },
  ]);
  const answer = await (await root.fetch('/api/mail/')).text();
  expect(answer).toContain('ann@example.org');
  expect(answer).not.toMatch(/s3cret|sealed|v1\./);
});
