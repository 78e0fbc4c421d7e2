import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import { findCaller, type SignedInUser } from '../../testing/create-user.ts';
import { addPasskey, addTotp, createAssertion } from '../../testing/second-factors.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createBrowserVisitor, type Visitor } from '../../testing/visitor.ts';
import { findPendingSecret } from '../one-time-secrets/one-time-secrets.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { secondFactorRoutes } from './routes.ts';
import { beginTotp, finishTotp, removeTotp, replaceRecoveryCodes, totpCode } from './second-factor.ts';

const ORIGIN = 'https://gate.example';
const app = await useFeatureApp(
  [
    serveRoutes(passkeys, passkeyRoutes),
    serveRoutes(profile, profileRoutes),
    serveRoutes(secondFactor, secondFactorRoutes),
    serveRoutes(signIn, signInRoutes),
    serveRoutes(users, userRoutes),
  ],
  { now: Date.UTC(2026, 0, 10), config: { publicUrl: ORIGIN } },
);
const root = await app.createUser('root');
const now = () => app.clock.now();

const passwordOf = ({ username, password }: SignedInUser) => ({ body: { username, password } });
const needsSecond = {
  code: 'second-factor-required',
  message:
    'Send a code of your second factor with POST /api/user/login/second and the cookie of this response, or sign in with a passkey.',
};

/** A browser in which the password was right. */
async function afterPassword(user: SignedInUser, here: Visitor = createBrowserVisitor(app.url)): Promise<Visitor> {
  await expect(here.api(signIn).signIn(passwordOf(user))).rejects.toMatchObject(needsSecond);
  expect((await here.fetch('/api/user/self')).status).toBe(401);
  return here;
}

test('a password alone opens nothing, a code after it opens the session, and each code works once', async () => {
  const user = await app.createUser('user');
  const totp = await addTotp(user, now);
  const here = await afterPassword(user);
  expect(await here.api(secondFactor).waiting()).toEqual({ code: true, passkey: false });
  // The code that set it up was used by that.
  const used = here.api(secondFactor).signIn({ body: { code: totp.code() } });
  const message =
    'This code is incorrect or used. Enter the current code of your authenticator app, or another recovery code.';
  await expect(used).rejects.toMatchObject({ code: 'wrong-code', message });
  app.clock.advance(30);
  const code = totp.code();
  expect((await here.api(secondFactor).signIn({ body: { code } })).id).toBe(user.id);
  const there = await afterPassword(user);
  const again = there.api(secondFactor).signIn({ body: { code } });
  await expect(again).rejects.toMatchObject({ code: 'wrong-code' });
});

test('the second step belongs to the browser of the first, waits five minutes and allows five tries', async () => {
  const user = await app.createUser('user');
  const totp = await addTotp(user, now);
  const here = await afterPassword(user);
  app.clock.advance(30);
  const elsewhere = createBrowserVisitor(app.url)
    .api(secondFactor)
    .signIn({ body: { code: totp.code() } });
  await expect(elsewhere).rejects.toMatchObject({ code: 'link-expired' });
  for (let i = 0; i < 5; i += 1) {
    const wrong = here.api(secondFactor).signIn({ body: { code: '000000' } });
    await expect(wrong).rejects.toMatchObject({ code: 'wrong-code' });
  }
  const right = here.api(secondFactor).signIn({ body: { code: totp.code() } });
  await expect(right).rejects.toMatchObject({ code: 'link-expired' });
  const late = await afterPassword(user);
  app.clock.advance(301);
  const tooLate = late.api(secondFactor).signIn({ body: { code: totp.code() } });
  await expect(tooLate).rejects.toMatchObject({ code: 'link-expired' });
});

test('ten wrong codes in ten minutes close the second step of all unknown browsers, and of no known one', async () => {
  const user = await app.createUser('user');
  const totp = await addTotp(user, now);
  app.clock.advance(30);
  const known = await afterPassword(user);
  await known.api(secondFactor).signIn({ body: { code: totp.code() } });
  await known.api(signIn).signOut();
  const codes: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const here = await afterPassword(user);
    for (let i = 0; i < 4; i += 1) {
      const wrong = here.api(secondFactor).signIn({ body: { code: '000000' } });
      await wrong.catch((error: { code: string }) => codes.push(error.code));
    }
  }
  expect(codes.slice(9)).toEqual(['wrong-code', 'too-many-requests', 'too-many-requests']);
  app.clock.advance(30);
  const right = { body: { code: totp.code() } };
  const unknown = await afterPassword(user);
  await expect(unknown.api(secondFactor).signIn(right)).rejects.toMatchObject({ code: 'too-many-requests' });
  await afterPassword(user, known);
  expect((await known.api(secondFactor).signIn(right)).id).toBe(user.id);
});

test('each recovery code works once, in capitals and without its dash too', async () => {
  const user = await app.createUser('user');
  const { recoveryCodes } = await addTotp(user, now);
  expect(new Set(recoveryCodes).size).toBe(10);
  const [first = '', second = ''] = recoveryCodes;
  const use = async (code: string) => (await afterPassword(user)).api(secondFactor).signIn({ body: { code } });
  await use(first.toUpperCase());
  await expect(use(first)).rejects.toMatchObject({ code: 'wrong-code' });
  await use(second.replace('-', ''));
  expect((await user.api(secondFactor).state()).recovery_codes_left).toBe(8);
  const { recovery_codes } = await user.api(secondFactor).makeRecoveryCodes();
  expect(recovery_codes).toHaveLength(10);
  await expect(use(recoveryCodes[2] ?? '')).rejects.toMatchObject({ code: 'wrong-code' });
});

test('a passkey beside the password is a second factor, and the sign-in with it is complete', async () => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const here = await afterPassword(user);
  expect(await here.api(secondFactor).waiting()).toEqual({ code: false, passkey: true });
  await here.api(passkeys).finishSignIn({ body: await createAssertion(here, key, ORIGIN) });
  expect((await here.api(profile).get()).id).toBe(user.id);
});

test('a secret that was never confirmed changes nothing, and a wrong first code confirms nothing', async () => {
  const user = await app.createUser('user');
  await user.api(secondFactor).beginTotp();
  const wrong = user.api(secondFactor).finishTotp({ body: { code: '000000' } });
  await expect(wrong).rejects.toMatchObject({ code: 'wrong-code' });
  expect(await user.api(secondFactor).state()).toMatchObject({ totp: false, recovery_codes_left: 0 });
  expect((await createBrowserVisitor(app.url).api(signIn).signIn(passwordOf(user))).id).toBe(user.id);
});

test('one set-up of an authenticator app ends once, however many codes arrive at the same time', async () => {
  const user = await app.createUser('user');
  const call = { caller: await findCaller(app.ctx, user), deviceHash: () => 'one browser' };
  await beginTotp(app.ctx, call);
  const pending = await findPendingSecret(app.ctx, { purpose: 'totp-set-up', deviceHash: 'one browser' });
  const code = totpCode(Buffer.from(String(pending?.data), 'base64url'), Math.floor(now() / 30_000));
  const ends = await Promise.allSettled([1, 2, 3].map(() => finishTotp(app.ctx, call, code)));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await user.api(secondFactor).state()).toMatchObject({ totp: true, recovery_codes_left: 10 });
});

test('administrators need a second factor once their time of grace is over', async () => {
  const admin = await app.createUser('admin');
  const { needed_from } = await admin.api(secondFactor).state();
  expect(needed_from).toBe(Math.floor(now() / 1000) + 7 * 86_400);
  app.clock.advance(7 * 86_400 + 1);
  const here = createBrowserVisitor(app.url);
  await here.api(signIn).signIn(passwordOf(admin));
  await expect(here.api(users).list()).rejects.toMatchObject({ code: 'second-factor-needed' });
  expect((await here.api(profile).get()).id).toBe(admin.id);
  await addPasskey(here, ORIGIN);
  expect((await here.api(users).list()).total_count).toBeGreaterThan(0);
});

test('users need none, and the operator may not insist', async () => {
  const user = await app.createUser('user');
  expect((await user.api(secondFactor).state()).needed_from).toBeNull();
  const admin = await app.createUser('admin');
  await setOptions(app.ctx, { AdminSecondFactorEnabled: 'false' });
  expect((await admin.api(secondFactor).state()).needed_from).toBeNull();
  await setOptions(app.ctx, { AdminSecondFactorEnabled: 'true' });
});

test('only a user with a higher role can reset lost second factors', async () => {
  const admin = await app.createUser('admin');
  const otherAdmin = await app.createUser('admin');
  const user = await app.createUser('user');
  await addPasskey(user, ORIGIN);
  for (const target of [otherAdmin, admin, root]) {
    const attempt = admin.api(secondFactor).reset({ params: { id: target.id } });
    await expect(attempt).rejects.toMatchObject({ code: 'not-allowed' });
  }
  await admin.api(secondFactor).reset({ params: { id: user.id } });
  expect((await user.fetch('/api/user/self')).status).toBe(401);
  expect((await createBrowserVisitor(app.url).api(signIn).signIn(passwordOf(user))).id).toBe(user.id);
});

test.each(['its owner', 'an administrator'])(
  'a sign-in that waits for its second step ends when %s sets a new password',
  async (who) => {
    const [user, admin] = await Promise.all([app.createUser('user'), app.createUser('admin')]);
    const totp = await addTotp(user, now);
    const thief = await afterPassword(user);
    app.clock.advance(30);
    const password = 'not the stolen one';
    if (who === 'its owner') await user.api(profile).update({ body: { password, current_password: user.password } });
    else await admin.api(users).update({ body: { id: user.id, password } });
    const late = thief.api(secondFactor).signIn({ body: { code: totp.code() } });
    await expect(late).rejects.toMatchObject({ code: 'link-expired' });
  },
);

test('recovery codes are deleted with the last factor, and are not restored with the next one', async () => {
  const user = await app.createUser('user');
  const { recoveryCodes } = await addTotp(user, now);
  await user.api(secondFactor).removeTotp();
  expect(await user.api(secondFactor).state()).toMatchObject({ recovery_codes_left: 0 });
  await addPasskey(user, ORIGIN);
  const thief = await afterPassword(user);
  const old = thief.api(secondFactor).signIn({ body: { code: recoveryCodes[0] ?? '' } });
  await expect(old).rejects.toMatchObject({ code: 'wrong-code' });
});

test.each<[string, (user: SignedInUser) => Promise<unknown>]>([
  ['an authenticator app', (user) => addTotp(user, now)],
  ['a passkey', (user) => addPasskey(user, ORIGIN)],
])('recovery codes are created only beside another factor: %s', async (_what, addFactor) => {
  const user = await app.createUser('user');
  await expect(user.api(secondFactor).makeRecoveryCodes()).rejects.toMatchObject({ code: 'conflict' });
  expect(await user.api(secondFactor).state()).toMatchObject({ recovery_codes_left: 0 });
  await addFactor(user);
  expect((await user.api(secondFactor).makeRecoveryCodes()).recovery_codes).toHaveLength(10);
});

test('no recovery codes are left when they are created while the last factor is removed', async () => {
  const user = await app.createUser('user');
  await addTotp(user, now);
  const caller = await findCaller(app.ctx, user);
  await Promise.allSettled([removeTotp(app.ctx, caller), replaceRecoveryCodes(app.ctx, caller)]);
  expect(await user.api(secondFactor).state()).toMatchObject({ totp: false, recovery_codes_left: 0 });
});

test('a passkey that is the only way in is not taken away by an administrator either', async () => {
  const user = await app.createUser('user');
  await addPasskey(user, ORIGIN);
  await app.ctx.db.writer.updateTable('user').set({ password_hash: '' }).where('id', '=', user.id).execute();
  const admin = await app.createUser('admin');
  const attempt = admin.api(secondFactor).reset({ params: { id: user.id } });
  await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
  expect((await user.api(secondFactor).state()).passkeys).toBe(1);
});

test('mails and audits the removal of factors only if there were any', async () => {
  await setOptions(app.ctx, { SMTPServer: '127.0.0.1', SMTPPort: '9', SMTPFrom: 'gate@gate.example' });
  const { writer } = app.ctx.db;
  const [user, other] = [await app.createUser('user'), await app.createUser('user')];
  for (const { id } of [user, other])
    await writer
      .updateTable('user')
      .set({ email: `${id}@example.org`, email_verified_time: 1 })
      .where('id', '=', id)
      .execute();
  const count = async () => {
    const mails = await writer.selectFrom('mail').select('id').where('template', '=', 'factor-removed').execute();
    const audited = await writer.selectFrom('audit_entry').select('id').where('action', '=', 'totp.remove').execute();
    return { mails: mails.length, audited: audited.length };
  };
  const { mails, audited } = await count();
  for (let calls = 0; calls < 3; calls += 1) await user.api(secondFactor).removeTotp();
  const admin = await app.createUser('admin');
  await admin.api(secondFactor).reset({ params: { id: other.id } });
  expect(await count()).toEqual({ mails, audited });
  await addTotp(user, now);
  await user.api(secondFactor).removeTotp();
  expect(await count()).toEqual({ mails: mails + 1, audited: audited + 1 });
});
