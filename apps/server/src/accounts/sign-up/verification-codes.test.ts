import { profile } from '@switchyard/contract/accounts/profile';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { expect, onTestFinished, test } from 'vitest';
import { extractCode, MAIL_DELAY, SITE, useSignUpScene } from '../../testing/sign-up-scene.ts';

const { app, setSettings: set, mails, openBrowser: browser, requestCode: askCode } = await useSignUpScene();
await app.createUser('root');
const PASSWORD = 'a rather good one';

const register = (from: ReturnType<typeof browser>, username: string, email: string, code: string) =>
  from.api(signUp).register({ body: { username, password: PASSWORD, email, verification_code: code } });

test('an address without an account gets a code, one with an account the way in; the answers are equal', async () => {
  const visitor = browser();
  await register(visitor, 'ann', 'ann@example.org', await askCode(visitor, 'ann@example.org'));
  const ask = async (email: string) => {
    const response = await browser().fetch(`/api/verification?email=${email}`);
    return { status: response.status, body: await response.text(), names: [...response.headers.keys()] };
  };
  app.clock.advance(31);
  const unknown = await ask('new@example.org');
  app.clock.advance(MAIL_DELAY);
  expect(await mails.waitForNext()).toMatchObject({ to: 'new@example.org', text: expect.stringMatching(/\b\d{8}\b/) });
  expect(await ask('ANN@example.org')).toEqual(unknown);
  app.clock.advance(MAIL_DELAY);
  const mail = await mails.waitForNext();
  expect(mail).toMatchObject({ to: 'ANN@example.org', subject: 'You already have an account' });
  expect(mail.text).toContain(`${SITE}/reset`);
  expect(extractCode(mail)).toBe('no code');
});

test('a code works in the browser that asked, for its address, for ten minutes', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'bea@example.org');
  const wrong = { code: 'wrong-code', message: 'This code is wrong or no longer valid. Request a new one.' };
  await expect(register(browser(), 'bea', 'bea@example.org', code)).rejects.toMatchObject(wrong);
  await expect(register(visitor, 'bea', 'other@example.org', code)).rejects.toMatchObject(wrong);
  app.clock.advance(601);
  await expect(register(visitor, 'bea', 'bea@example.org', code)).rejects.toMatchObject(wrong);
});

test('five wrong codes kill the right one', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'cia@example.org');
  const wrong = String((Number(code) + 1) % 100_000_000).padStart(8, '0');
  for (let tries = 0; tries < 5; tries += 1)
    await expect(register(visitor, 'cia', 'cia@example.org', wrong)).rejects.toMatchObject({ code: 'wrong-code' });
  await expect(register(visitor, 'cia', 'cia@example.org', code)).rejects.toMatchObject({ code: 'wrong-code' });
});

test('the latest code counts', async () => {
  const visitor = browser();
  const first = await askCode(visitor, 'dan@example.org');
  app.clock.advance(31);
  const second = await askCode(visitor, 'dan@example.org');
  await expect(register(visitor, 'dan', 'dan@example.org', first)).rejects.toMatchObject({ code: 'wrong-code' });
  await register(visitor, 'dan', 'dan@example.org', second);
});

test('an address gets one mail in half a minute and five in an hour', async () => {
  const api = browser().api(signUp);
  const ask = (email: string) => api.sendCode({ query: { email } });
  for (let count = 0; count < 5; count += 1) {
    await ask('eli@example.org');
    await expect(ask('ELI@example.org')).rejects.toMatchObject({ code: 'too-many-requests' });
    app.clock.advance(31);
  }
  await expect(ask('eli@example.org')).rejects.toMatchObject({ code: 'too-many-requests' });
  await ask('someone-else@example.org');
});

test('sends no code to any caller without a mail server', async () => {
  await set({ EmailVerificationEnabled: 'false', SMTPServer: '' });
  onTestFinished(() => set({ SMTPServer: '127.0.0.1', EmailVerificationEnabled: 'true' }));
  const api = browser().api(signUp);
  for (const email of ['ann@example.org', 'nobody@example.org']) {
    await expect(api.sendCode({ query: { email } })).rejects.toMatchObject({ code: 'not-set-up' });
    await expect(api.sendResetLink({ query: { email } })).rejects.toMatchObject({ code: 'not-set-up' });
  }
});

test('another site cannot make a browser ask for mail', async () => {
  for (const path of ['/api/verification', '/api/reset_password']) {
    const response = await browser().fetch(`${path}?email=ann@example.org`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
  }
});

test('a signed-in user can verify the address that an administrator entered', async () => {
  const user = await app.createUser('user');
  const email = 'written@example.org';
  await app.ctx.db.writer.updateTable('user').set({ email }).where('id', '=', user.id).execute();
  const code = await askCode(user, email);
  expect((await user.fetch(`/api/oauth/email/bind?email=${email}&code=${code}`)).status).toBe(200);
  expect(await user.api(profile).get()).toMatchObject({ email, email_verified: true });
});

test('the spellings of one mail box share its limit', async () => {
  const results = await Promise.all(
    ['kim.lee', 'KimLee', 'kimlee+1', 'k.i.m.lee+2'].map((local) =>
      browser().fetch(`/api/verification?email=${encodeURIComponent(local)}@example.org`),
    ),
  );
  expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429, 429]);
});
