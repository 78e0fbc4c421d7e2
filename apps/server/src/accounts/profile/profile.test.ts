import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile, type StepUpProof } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { signIn as signInFeature } from '@switchyard/contract/accounts/sign-in';
import { toPoints } from '@switchyard/contract/money';
import { expect, test } from 'vitest';
import type { SignedInUser } from '../../testing/create-user.ts';
import { addTotp } from '../../testing/second-factors.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor, signIn } from '../../testing/visitor.ts';
import { accessTokenRoutes } from '../access-tokens/routes.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { issueCode } from '../one-time-secrets/one-time-secrets.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { secondFactorRoutes } from '../second-factor/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { profileRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(signInFeature, signInRoutes),
  serveRoutes(secondFactor, secondFactorRoutes),
  serveRoutes(passkeys, passkeyRoutes),
  serveRoutes(accessTokens, accessTokenRoutes),
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(profile, profileRoutes),
]);

test('a new password needs the present one and ends all other sessions', async () => {
  const user = await app.createUser('user');
  const elsewhere = createVisitor(app.url, await signIn(app.url, user.username, user.password));
  const password = 'another good one';
  const wrong = user.api(profile).update({ body: { password, current_password: 'not this' } });
  await expect(wrong).rejects.toMatchObject({ code: 'wrong-password', fields: [{ path: 'current_password' }] });
  await user.api(profile).update({ body: { password, current_password: user.password } });
  expect((await user.fetch('/api/user/self')).status).toBe(200);
  expect((await elsewhere.fetch('/api/user/self')).status).toBe(401);
  expect(await signIn(app.url, user.username, password)).toHaveProperty('cookie');
});

test('names can be changed alone; one in use is refused, regardless of its case', async () => {
  const user = await app.createUser('user');
  const other = await app.createUser('user');
  const self = await user.api(profile).update({ body: { username: 'renamed', display_name: 'New name' } });
  expect(self).toMatchObject({ username: 'renamed', display_name: 'New name' });
  expect(await user.api(profile).update({ body: { display_name: '' } })).toMatchObject({ display_name: '' });
  const taken = user.api(profile).update({ body: { username: other.username.toUpperCase() } });
  await expect(taken).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'username' }] });
  const asAddress = await user.fetch('/api/user/self', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'victim@example.com' }),
  });
  expect(asAddress.status).toBe(400);
});

test('a changed notice leaves the others as they are', async () => {
  const user = await app.createUser('user');
  await user.api(profile).update({ body: { notices: { order_paid: true, low_balance_below: toPoints(5) } } });
  const { notices } = await user.api(profile).update({ body: { notices: { low_balance: false } } });
  expect(notices).toMatchObject({ order_paid: true, low_balance_below: 5, low_balance: false, new_sign_in: true });
});

test('an access token cannot confirm a password', async () => {
  const user = await app.createUser('user');
  const token = await user.api(accessTokens).replace();
  const byToken = createVisitor(app.url, { authorization: token }).api(profile);
  const stepUp = byToken.stepUp({ body: { password: user.password } });
  await expect(stepUp).rejects.toMatchObject({ code: 'not-allowed' });
});

test('sensitive actions need a password check of the last ten minutes', async () => {
  const user = await app.createUser('user');
  const api = user.api(profile);
  app.clock.advance(601);
  await expect(user.api(accessTokens).replace()).rejects.toMatchObject({ code: 'step-up-required' });
  await expect(api.stepUp({ body: { password: 'wrong' } })).rejects.toMatchObject({ code: 'wrong-password' });
  await api.stepUp({ body: { password: user.password } });
  expect(await user.api(accessTokens).replace()).toMatch(/^[\w-]{43}$/);
});

test('guessing the password through the password check is limited', async () => {
  const user = await app.createUser('user');
  const codes: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    const tried = user.api(profile).stepUp({ body: { password: 'guess' } });
    await tried.catch((error: { code: string }) => codes.push(error.code));
  }
  expect(codes.at(-1)).toBe('too-many-requests');
});

test('lists the user’s own sessions and ends one of them, never another user’s', async () => {
  const user = await app.createUser('user');
  const other = await app.createUser('user');
  const elsewhere = createVisitor(app.url, await signIn(app.url, user.username, user.password));
  const sessions = await user.api(profile).listSessions();
  expect(new Set(sessions.map((session) => session.current))).toEqual(new Set([false, true]));
  const id = sessions.find((session) => !session.current)?.id ?? '';
  const foreign = other.api(profile).endSession({ params: { id } });
  await expect(foreign).rejects.toMatchObject({
    code: 'not-found',
    message: 'This session has already ended. Reload the list.',
  });
  await user.api(profile).endSession({ params: { id } });
  expect((await elsewhere.fetch('/api/user/self')).status).toBe(401);
  expect((await user.fetch('/api/user/self')).status).toBe(200);
});

test('rejects the password, and another person’s proof, from a user with a second factor', async () => {
  const [user, other] = await Promise.all([app.createUser('user'), app.createUser('user')]);
  const totp = await addTotp(user, () => app.clock.now());
  const foreign = await addTotp(other, () => app.clock.now());
  app.clock.advance(660);
  expect(await user.api(profile).stepUpWays()).toEqual({ password: false, code: true, passkey: false });
  const tryProof = (body: StepUpProof) => user.api(profile).stepUp({ body });
  await expect(tryProof({ password: user.password })).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(tryProof({ code: foreign.code() })).rejects.toMatchObject({
    code: 'wrong-code',
    message: expect.stringContaining('Enter the current code of your authenticator app'),
  });
  await expect(user.api(accessTokens).replace()).rejects.toMatchObject({ code: 'step-up-required' });
  await tryProof({ code: totp.code() });
  expect(await user.api(accessTokens).replace()).toMatch(/^[\w-]{43}$/);
});

test('all sessions end at once, including this one', async () => {
  const user = await app.createUser('user');
  const elsewhere = createVisitor(app.url, await signIn(app.url, user.username, user.password));
  await user.api(profile).endSessions();
  for (const who of [user, elsewhere]) expect((await who.fetch('/api/user/self')).status).toBe(401);
});

test('a user without a password sets the first one after a step-up', async () => {
  const user = await app.createUser('user');
  await app.ctx.db.writer.updateTable('user').set({ password_hash: '' }).where('id', '=', user.id).execute();
  expect(await user.api(profile).get()).toMatchObject({ has_password: false });
  await user.api(profile).update({ body: { password: 'the first password' } });
  expect((await signIn(app.url, user.username, 'the first password')).cookie).toContain('session');
  app.clock.advance(601);
  await app.ctx.db.writer.updateTable('user').set({ password_hash: '' }).where('id', '=', user.id).execute();
  const late = user.api(profile).update({ body: { password: 'by a thief' } });
  await expect(late).rejects.toMatchObject({
    code: 'step-up-required',
    message: 'Confirm your identity with POST /api/user/step_up, then send this again.',
  });
});

test('a picture is a small PNG, which its owner and administrators see', async () => {
  const user = await app.createUser('user');
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    Buffer.from('IHDR'),
    Buffer.from([0, 0, 0, 64, 0, 0, 0, 64, 8, 6, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const { avatar_url } = await user.api(profile).setAvatar({ body: { image: png.toString('base64') } });
  const shown = await user.fetch(avatar_url);
  expect(shown.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true);
  const stranger = await app.createUser('user');
  expect((await stranger.fetch(avatar_url)).status).toBe(404);
  expect((await (await app.createUser('admin')).fetch(avatar_url)).status).toBe(200);
  const huge = Buffer.from(png);
  huge.writeUInt32BE(5000, 16);
  for (const image of [Buffer.from('<svg onload=alert(1)>'), huge, Buffer.alloc(66_000)]) {
    const attempt = user.api(profile).setAvatar({ body: { image: image.toString('base64') } });
    await expect(attempt).rejects.toMatchObject({ fields: [{ path: 'image' }] });
  }
  expect((await user.api(profile).setAvatar({ body: { image: '' } })).avatar_url).toBe('');
});

test('the export contains the stored data, without secrets', async () => {
  const user = await app.createUser('user', { quota: 700 });
  const { key } = await user.api(apiKeys).create({ body: { name: 'mine' } });
  const totp = await addTotp(user, () => app.clock.now());
  const text = await user.api(profile).export();
  const exported = JSON.parse(text) as Record<string, unknown>;
  expect(exported).toMatchObject({ account: { username: user.username }, tokens: [{ name: 'mine' }] });
  expect(exported['movements']).toMatchObject([{ kind: 'top-up', user_amount: 700 }]);
  for (const secret of [key, user.password, ...totp.recoveryCodes]) expect(text).not.toContain(secret);
});

test('a user deletes their account after a step-up: keys, sessions and name are removed, ledger entries stay', async () => {
  const user = await app.createUser('user', { username: 'leaving', quota: 700 });
  await user.api(apiKeys).create({ body: { name: 'mine' } });
  app.clock.advance(601);
  await expect(user.api(profile).remove()).rejects.toMatchObject({ code: 'step-up-required' });
  await user.api(profile).stepUp({ body: { password: user.password } });
  await user.api(profile).remove();
  expect((await user.fetch('/api/user/self')).status).toBe(401);
  const row = await app.ctx.db.writer
    .selectFrom('user')
    .selectAll()
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ email: '', display_name: '', password_hash: '', status: 'disabled' });
  const entries = await app.ctx.db.reader
    .selectFrom('ledger_entry')
    .selectAll()
    .where('user_id', '=', user.id)
    .execute();
  expect(entries.length).toBeGreaterThan(0);
  expect((await app.createUser('user', { username: 'leaving' })).id).not.toBe(user.id);
});

test('root cannot delete its own account, and gets an error', async () => {
  const root = await app.createUser('root');
  await setOptions(app.ctx, {
    SMTPServer: '127.0.0.1',
    SMTPPort: '9',
    SMTPFrom: 'gate@gate.example',
    ServerAddress: 'https://gate.example',
  });
  await app.ctx.db.writer
    .updateTable('user')
    .set({ email: 'root@gate.example', email_verified_time: 1 })
    .where('id', '=', root.id)
    .execute();
  await expect(root.api(profile).remove()).rejects.toMatchObject({ code: 'not-allowed' });
  const mails = await app.ctx.db.writer.selectFrom('mail').selectAll().execute();
  expect(mails.filter(({ template }) => template === 'account-deleted')).toEqual([]);
  await setOptions(app.ctx, { SMTPServer: '' });
});

test('a mail address counts once the code that was sent to it is typed, for one account', async () => {
  const [user, other] = await Promise.all([app.createUser('user'), app.createUser('user')]);
  const bind = async (who: SignedInUser, email: string) => {
    const device = /switchyard_device=([\w-]+)/.exec(who.identity['cookie'] ?? '')?.[1] ?? '';
    const code = await issueCode(app.ctx, {
      purpose: 'mail-code',
      deviceHash: app.ctx.vault.fingerprint(device),
      subject: email.toLowerCase(),
      seconds: 600,
    });
    return who.api(profile).bindEmail({ query: { email, code } });
  };
  const wrong = user.api(profile).bindEmail({ query: { email: 'Ada@example.com', code: '00000000' } });
  await expect(wrong).rejects.toMatchObject({
    code: 'wrong-code',
    message: 'This code is wrong or no longer valid. Request a new one.',
  });
  await bind(user, 'Ada@example.com');
  expect(await user.api(profile).get()).toMatchObject({ email: 'Ada@example.com', email_verified: true });
  await expect(bind(other, 'ada@EXAMPLE.com')).rejects.toMatchObject({ code: 'already-exists' });
});
