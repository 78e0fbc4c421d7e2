import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import { MAIL_DELAY, SITE, useSignUpScene } from '../../testing/sign-up-scene.ts';
import { serveRoutes } from '../../testing/start-feature-app.ts';
import { createVisitor } from '../../testing/visitor.ts';
import { accessTokenRoutes } from '../access-tokens/routes.ts';

const {
  app,
  mails,
  openBrowser: browser,
  requestResetToken: askResetToken,
  signIn,
} = await useSignUpScene({}, [serveRoutes(accessTokens, accessTokenRoutes)]);
const root = await app.createUser('root');
const NEW = 'chosen by its owner';

async function createWithMail(email: string) {
  const user = await app.createUser('user');
  await root.api(users).update({ body: { id: user.id, email } });
  return { ...user, email };
}

const reset = (email: string, token: string, from = browser(), password = NEW) =>
  from.api(signUp).resetPassword({ body: { email, token, password } });

test('the link sets the password that its owner chose, ends all sessions, and confirms this by mail', async () => {
  const user = await createWithMail('ann@example.org');
  const token = await askResetToken('ANN@example.org');
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await reset('Ann@Example.org', token)).toBeNull();
  expect(await mails.waitForNext()).toMatchObject({ to: 'ann@example.org', subject: 'Your password was changed' });
  expect((await user.fetch('/api/user/self')).status).toBe(401);
  expect((await signIn(browser(), user.username, user.password)).status).toBe(400);
  expect((await signIn(browser(), user.username, NEW)).status).toBe(200);
  const { target } = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('target')
    .where('action', '=', 'user.reset-password')
    .executeTakeFirstOrThrow();
  expect(target).toBe(`user:${user.id}`);
});

test('the token is in the fragment of a link to this site', async () => {
  await createWithMail('bo+x@example.org');
  await app.anonymous.api(signUp).sendResetLink({ query: { email: 'bo+x@example.org' } });
  app.clock.advance(MAIL_DELAY);
  const { text } = await mails.waitForNext();
  expect(text).toMatch(new RegExp(`${SITE}/user/reset\\?email=bo%2Bx%40example\\.org#token=[\\w-]{43}\\b`));
});

test('a link works once, for fifteen minutes, for its own address', async () => {
  await createWithMail('cat@example.org');
  await createWithMail('dog@example.org');
  const expiredLink = { code: 'link-expired' };
  const token = await askResetToken('cat@example.org');
  await expect(reset('dog@example.org', token)).rejects.toMatchObject(expiredLink);
  app.clock.advance(31);
  const second = await askResetToken('cat@example.org');
  const answers = await Promise.allSettled([1, 2, 3].map(() => reset('cat@example.org', second)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await mails.waitForNext();
  app.clock.advance(31);
  const third = await askResetToken('cat@example.org');
  app.clock.advance(901);
  await expect(reset('cat@example.org', third)).rejects.toMatchObject(expiredLink);
});

test('a reset ends the links and sign-ins that were under way', async () => {
  await createWithMail('eva@example.org');
  const first = await askResetToken('eva@example.org');
  app.clock.advance(31);
  await reset('eva@example.org', await askResetToken('eva@example.org'));
  await mails.waitForNext();
  await expect(reset('eva@example.org', first)).rejects.toMatchObject({ code: 'link-expired' });
});

test('rejects the reset for a disabled user, and after a change of the address', async () => {
  const user = await createWithMail('fox@example.org');
  const token = await askResetToken('fox@example.org');
  await root.api(users).manage({ body: { username: user.username, action: 'disable' } });
  await expect(reset('fox@example.org', token)).rejects.toMatchObject({ code: 'link-expired' });
  const moved = await createWithMail('gnu@example.org');
  const other = await askResetToken('gnu@example.org');
  await root.api(users).update({ body: { id: moved.id, email: 'new@example.org' } });
  await expect(reset('gnu@example.org', other)).rejects.toMatchObject({ code: 'link-expired' });
});

test('a common password is refused without using up the link', async () => {
  await createWithMail('hen@example.org');
  const token = await askResetToken('hen@example.org');
  await expect(reset('hen@example.org', token, browser(), 'qwertyuiop')).rejects.toMatchObject({
    fields: [{ path: 'password', rule: 'common' }],
  });
  await reset('hen@example.org', token);
  await mails.waitForNext();
});

test('unknown addresses get the same answer and no mail', async () => {
  await createWithMail('ibis@example.org');
  const ask = async (email: string) => {
    const response = await app.anonymous.fetch(`/api/reset_password?email=${email}`);
    return { status: response.status, body: await response.text(), names: [...response.headers.keys()] };
  };
  const unknown = await ask('nobody@example.org');
  expect(await ask('ibis@example.org')).toEqual(unknown);
  app.clock.advance(MAIL_DELAY);
  expect((await mails.waitForNext()).to).toBe('ibis@example.org');
  expect(mails.messages.filter(({ to }) => to === 'nobody@example.org')).toEqual([]);
});

test('the token is stored nowhere', async () => {
  await createWithMail('jay@example.org');
  const token = await askResetToken('jay@example.org');
  const rows = await app.ctx.db.writer.selectFrom('one_time').selectAll().execute();
  const queue = await app.ctx.db.writer.selectFrom('mail').selectAll().execute();
  const audits = await app.ctx.db.writer.selectFrom('audit_entry').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify([rows, queue, audits])).not.toContain(token);
});

test('access tokens, which a thief may have made, end with the old password', async () => {
  const user = await createWithMail('tok@example.org');
  const token = createVisitor(app.url, { authorization: await user.api(accessTokens).replace() });
  expect((await token.fetch('/api/user/self')).status).toBe(200);
  await reset('tok@example.org', await askResetToken('tok@example.org'));
  expect((await token.fetch('/api/user/self')).status).toBe(401);
});
