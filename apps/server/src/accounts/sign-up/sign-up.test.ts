import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import type { UserId } from '@switchyard/contract/ids';
import { expect, onTestFinished, test } from 'vitest';
import { useSignUpScene } from '../../testing/sign-up-scene.ts';
import { serveRoutes, startFeatureApp } from '../../testing/start-feature-app.ts';
import { signUpRoutes } from './routes.ts';

const { app, setSettings: set, mails, openBrowser: browser, requestCode: askCode, signIn } = await useSignUpScene();
const root = await app.createUser('root');
const PASSWORD = 'a rather good one';

async function setFor(options: Record<string, string>, back: Record<string, string>): Promise<void> {
  await set(options);
  onTestFinished(() => set(back));
}

const without = () => setFor({ EmailVerificationEnabled: 'false' }, { EmailVerificationEnabled: 'true' });

const rowOf = (username: string) =>
  app.ctx.db.writer.selectFrom('user').selectAll().where('username', '=', username).executeTakeFirst();

test('registers an ordinary user with a verified email address, who can sign in', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'Ann@Example.org');
  const body = { username: 'ann', password: PASSWORD, email: 'Ann@Example.org', verification_code: code };
  const register = (more: object) =>
    visitor.fetch('/api/user/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, language: 'ja_JP', ...more }),
    });
  for (const more of [{ role: 100 }, { group: 'vip' }, { quota: 1e9 }, { id: 1 }])
    expect((await register(more)).status).toBe(400);
  const response = await register({});
  expect(await response.json()).toEqual({ success: true, message: '', data: null });
  expect(response.headers.getSetCookie().join()).not.toContain('session');
  expect(await rowOf('ann')).toMatchObject({
    role: 'user',
    status: 'enabled',
    group_symbol: 'default',
    email: 'Ann@Example.org',
    email_verified_time: expect.any(Number),
    inviter_id: null,
    language: 'ja_JP',
  });
  expect((await signIn(visitor, 'ann@example.ORG', PASSWORD)).status).toBe(200);
  const entries = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['action', 'target'])
    .where('action', '=', 'user.register')
    .execute();
  expect(entries).toEqual([{ action: 'user.register', target: expect.stringMatching(/^user:\d+$/) }]);
});

test('an address that an administrator wrote is not proven any more', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'jan@example.org');
  const body = { username: 'jan', password: PASSWORD, email: 'jan@example.org', verification_code: code };
  await visitor.api(signUp).register({ body });
  const row = await rowOf('jan');
  const update = root.api(users).update;
  await update({ body: { id: row?.id as UserId, email: 'jan@example.org', display_name: 'Jan' } });
  expect((await rowOf('jan'))?.email_verified_time).not.toBeNull();
  await update({ body: { id: row?.id as UserId, email: 'other@example.org' } });
  expect((await rowOf('jan'))?.email_verified_time).toBeNull();
});

test('does not store an unverified email address when verification is off', async () => {
  await without();
  await browser()
    .api(signUp)
    .register({ body: { username: 'bob', password: PASSWORD, email: 'boss@example.org' } });
  expect(await rowOf('bob')).toMatchObject({ email: '', email_verified_time: null });
});

test.each(['RegisterEnabled', 'PasswordRegisterEnabled'])('%s switches it off, codes too', async (name) => {
  await setFor({ [name]: 'false' }, { [name]: 'true' });
  const api = browser().api(signUp);
  const off = { code: 'switched-off' };
  await expect(api.register({ body: { username: 'carl', password: PASSWORD } })).rejects.toMatchObject(off);
  await expect(api.sendCode({ query: { email: 'carl@example.org' } })).rejects.toMatchObject(off);
});

test('checks the username only after the code, so that it does not reveal taken names', async () => {
  const api = browser().api(signUp);
  const answer = (username: string) =>
    api
      .register({ body: { username, password: PASSWORD, email: 'dora@example.org', verification_code: '00000000' } })
      .catch((error: unknown) => error);
  expect(await answer('ann')).toMatchObject({ code: 'wrong-code' });
  expect(await answer('nobody-has-this')).toMatchObject({ code: 'wrong-code' });
});

test('accepts another user name with the same code, within its time, when the first name is taken', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'eve@example.org');
  const as = (username: string) =>
    visitor
      .api(signUp)
      .register({ body: { username, password: PASSWORD, email: 'eve@example.org', verification_code: code } });
  await expect(as('ANN')).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'username' }] });
  app.clock.advance(590);
  await expect(as('ann')).rejects.toMatchObject({ code: 'already-exists' });
  app.clock.advance(11);
  await expect(as('eve')).rejects.toMatchObject({ code: 'wrong-code' });
});

test('a code creates one account, even with concurrent requests', async () => {
  const visitor = browser();
  const code = await askCode(visitor, 'fay@example.org');
  const answers = await Promise.allSettled(
    ['fay-1', 'fay-2', 'fay-3'].map((username) =>
      visitor
        .api(signUp)
        .register({ body: { username, password: PASSWORD, email: 'fay@example.org', verification_code: code } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('one address belongs to one account, though two browsers have proven it', async () => {
  const [first, second] = [browser(), browser()];
  const code = await askCode(first, 'gus@example.org');
  app.clock.advance(31);
  const other = await askCode(second, 'GUS@example.org');
  const as = (visitor: typeof first, username: string, email: string, verification_code: string) =>
    visitor.api(signUp).register({ body: { username, password: PASSWORD, email, verification_code } });
  await as(first, 'gus', 'gus@example.org', code);
  await expect(as(second, 'gus-2', 'GUS@example.org', other)).rejects.toMatchObject({
    code: 'already-exists',
    fields: [{ path: 'email' }],
  });
});

test('common passwords, and addresses of other domains, are refused', async () => {
  const api = browser().api(signUp);
  await expect(api.register({ body: { username: 'hal', password: 'Password1' } })).rejects.toMatchObject({
    fields: [{ path: 'password', rule: 'common' }],
  });
  await setFor(
    { EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'example.com,Example.net' },
    { EmailDomainRestrictionEnabled: 'false' },
  );
  const sent = mails.messages.length;
  for (const email of ['hal@example.org', 'hal@sub.example.com', 'hal@notexample.com', 'hal@example.com.evil.org'])
    await expect(api.sendCode({ query: { email } })).rejects.toMatchObject({
      fields: [{ path: 'email', rule: 'domain-not-allowed' }],
    });
  expect(mails.messages).toHaveLength(sent);
  await askCode(browser(), 'hal@EXAMPLE.NET');
  await expect(
    api.register({
      body: { username: 'hal', password: PASSWORD, email: 'hal@evil.org', verification_code: '12345678' },
    }),
  ).rejects.toMatchObject({ fields: [{ path: 'email', rule: 'domain-not-allowed' }] });
});

test('an address may try twenty times in twenty minutes, with any names', async () => {
  const api = browser().api(signUp);
  const tries = [
    () => api.register({ body: { username: 'ida', password: PASSWORD } }),
    () => api.sendCode({ query: { email: 'none@example.org' } }),
    () => api.sendResetLink({ query: { email: 'none@example.org' } }),
    () => api.resetPassword({ body: { email: 'none@example.org', token: 'x', password: PASSWORD } }),
  ];
  const codes: unknown[] = [];
  for (let round = 0; round < 6; round += 1) {
    app.clock.advance(31);
    for (const next of tries)
      codes.push(
        await next().then(
          () => 'ok',
          (error: { code: string }) => error.code,
        ),
      );
  }
  expect(codes.slice(0, 20)).not.toContain('too-many-requests');
  expect(new Set(codes.slice(20))).toEqual(new Set(['too-many-requests']));
});

test('rejects registrations before the root account exists', async () => {
  const fresh = await startFeatureApp([serveRoutes(signUp, signUpRoutes)]);
  onTestFinished(() => fresh.close());
  await expect(
    fresh.anonymous.api(signUp).register({ body: { username: 'early', password: PASSWORD } }),
  ).rejects.toMatchObject({ code: 'set-up-needed' });
});

test('a person gets each gift once, even after deleting the account and signing up again', async () => {
  await setFor({ QuotaForNewUser: '900' }, { QuotaForNewUser: '0' });
  const balanceOf = async (username: string) => {
    const row = await rowOf(username);
    return await app.ctx.ledger.readAvailable(row?.id ?? 0);
  };
  const come = async (username: string, email: string) => {
    const from = browser();
    const verification_code = await askCode(from, email);
    await from.api(signUp).register({ body: { username, password: PASSWORD, email, verification_code } });
    return balanceOf(username);
  };
  expect(await come('farmer-1', 'farmer@example.org')).toBe(900);
  await root.api(users).remove({ params: { id: (await rowOf('farmer-1'))?.id as UserId } });
  app.clock.advance(3_600);
  expect(await come('farmer-2', 'far.mer+again@example.org')).toBe(0);
});
