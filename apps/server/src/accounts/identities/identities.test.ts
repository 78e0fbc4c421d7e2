import { settingDefinitions } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SignInProvidersScene, startSignInProvidersScene } from '../../testing/identity-providers-scene.ts';
import { setOptions } from '../../testing/set-options.ts';

let scene: SignInProvidersScene;
beforeAll(async () => {
  scene = await startSignInProvidersScene();
});
afterAll(() => scene.close());
beforeEach(() => setOptions(scene.app.ctx, { RegisterEnabled: 'true', RegisterInviteOnlyEnabled: 'false' }));

const providers = ['github', 'oidc', 'lark', 'wechat'] as const;
let last = 1000;
const newSubject = (): string => String((last += 1));
const userOf = (id: number) =>
  scene.app.ctx.db.writer.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const lastUser = () =>
  scene.app.ctx.db.writer.selectFrom('user').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();

describe.each(providers)('%s', (provider) => {
  test('the first sign-in makes an account, and the next ones come into the same', async () => {
    const subject = newSubject();
    const before = await scene.countRows();
    const browser = scene.browser();
    const first = await scene.signInWith(browser, provider, subject);
    expect(first).toMatchObject({ success: true, message: '', data: { role: 1 } });
    expect(await browser.get('/api/user/self')).toMatchObject({ success: true });
    const again = await scene.signInWith(scene.browser(), provider, subject);
    expect(again.data).toMatchObject({ id: (first.data as { id: number }).id });
    const after = await scene.countRows();
    expect(after.accounts - before.accounts).toBe(1);
    expect(after.links - before.links).toBe(1);
  });

  test('a signed-in user connects the provider, and can then sign in with it', async () => {
    const subject = newSubject();
    const { browser, userId } = await scene.createSignedInBrowser();
    const before = await scene.countRows();
    const bound =
      provider === 'wechat' ? await bindWechat(browser, subject) : await scene.signInWith(browser, provider, subject);
    expect(bound).toMatchObject({ success: true, message: 'bind', data: null });
    const after = await scene.countRows();
    expect({ ...after, links: after.links - 1 }).toEqual(before);
    const { data } = await browser.get('/api/user/identities');
    expect(data).toMatchObject([{ provider }]);
    const elsewhere = await scene.signInWith(scene.browser(), provider, subject);
    expect(elsewhere.data).toMatchObject({ id: userId });
  });

  test('an identity belongs to one account, and an account has one identity of each provider', async () => {
    const [first, second] = [await scene.createSignedInBrowser(), await scene.createSignedInBrowser()];
    const subject = newSubject();
    const bindAs = (browser: typeof first.browser, id: string) =>
      provider === 'wechat' ? bindWechat(browser, id) : scene.signInWith(browser, provider, id);
    expect(await bindAs(first.browser, subject)).toMatchObject({ success: true });
    expect(await bindAs(second.browser, subject)).toMatchObject({ code: 'already-exists' });
    expect(await bindAs(first.browser, newSubject())).toMatchObject({ code: 'conflict' });
  });

  test('it asks for nothing while it is switched off', async () => {
    const name = { github: 'GitHubOAuth', oidc: 'OIDCAuth', lark: 'LarkAuth', wechat: 'WeChatAuth' }[provider];
    await setOptions(scene.app.ctx, { [`${name}Enabled`]: 'false' });
    const browser = scene.browser();
    const begin =
      provider === 'wechat'
        ? browser.post('/api/oauth/wechat/start')
        : browser.get(`/api/oauth/endpoint?provider=${provider}`);
    expect(await begin).toMatchObject({
      code: 'switched-off',
      message: 'This sign-in method is disabled. Choose another one on the sign-in page.',
    });
    expect(await browser.get(`/api/oauth/${provider}?code=c&state=s`)).toMatchObject({ code: 'switched-off' });
    await setOptions(scene.app.ctx, { [`${name}Enabled`]: 'true' });
  });
});

function bindWechat(browser: ReturnType<SignInProvidersScene['browser']>, subject: string) {
  return browser
    .post('/api/oauth/wechat/start')
    .then(() => browser.get(`/api/oauth/wechat/bind?code=${scene.wechat.createCode(subject)}`));
}

/** Comes in as this person of GitHub. */
async function byGithub(user: Parameters<typeof scene.github.consent>[1], query = '') {
  const browser = scene.browser();
  const { data } = await browser.get('/api/oauth/endpoint?provider=github');
  const { code, state } = scene.github.consent(String(data), user);
  return browser.get(`/api/oauth/github?code=${code}&state=${state}${query}`);
}

describe('a new account', () => {
  test('takes over name, picture and the proven address, and no password opens it', async () => {
    const answer = await byGithub({
      id: 501,
      login: 'octo-ann',
      name: 'Ann',
      avatar_url: 'https://avatars.example/501',
      emails: [
        { email: 'other@example.org', primary: false, verified: true },
        { email: 'Ann@example.org', primary: true, verified: true },
      ],
    });
    expect(answer.data).toMatchObject({ username: 'octo-ann', display_name: 'Ann', email: 'Ann@example.org' });
    const user = await lastUser();
    expect(user).toMatchObject({ avatar_url: 'https://avatars.example/501', password_hash: '' });
    expect(user.email_verified_time).not.toBeNull();
    for (const password of [' ', '$argon2id$', 'octo-ann'])
      expect(await scene.browser().post('/api/user/login', { username: 'octo-ann', password })).toMatchObject({
        code: 'wrong-credentials',
      });
  });

  test.each([
    ['primary but not proven', [{ email: 'b@example.org', primary: true, verified: false }]],
    ['proven but not primary', [{ email: 'b@example.org', primary: false, verified: true }]],
    ['no address', []],
  ])('leaves an address out that is %s', async (_what, emails) => {
    await byGithub({ id: Number(newSubject()), login: `octo-${last}`, emails, avatar_url: 'http://a.example/x' });
    expect(await lastUser()).toMatchObject({ email: '', email_verified_time: null, avatar_url: '' });
  });

  test('rejects a username that is taken or reserved', async () => {
    await scene.app.createUser('user', { username: 'Taken' });
    for (const login of ['taken', 'a', 'a b c', 'x@example.org', '']) {
      await byGithub({ id: Number(newSubject()), login });
      const { id, username } = await lastUser();
      expect(username).toBe(`github_${id}`);
    }
  });

  test('does not create an account while registration is closed, nor without a required invitation', async () => {
    const before = await scene.countRows();
    await setOptions(scene.app.ctx, { RegisterEnabled: 'false' });
    expect(await byGithub({ id: 601, login: 'late' })).toMatchObject({ code: 'switched-off' });
    await setOptions(scene.app.ctx, { RegisterEnabled: 'true', RegisterInviteOnlyEnabled: 'true' });
    expect(await byGithub({ id: 601, login: 'late' }, '&aff=unknown')).toMatchObject({ code: 'switched-off' });
    expect(await scene.countRows()).toEqual(before);
    const { id } = await scene.app.createUser('user');
    await scene.app.ctx.db.writer.updateTable('user').set({ aff_code: 'AFF1' }).where('id', '=', id).execute();
    expect(await byGithub({ id: 601, login: 'late' }, '&aff=AFF1')).toMatchObject({ success: true });
    expect(await lastUser()).toMatchObject({ inviter_id: id });
  });

  test('creates one account when two first sign-ins of one person run concurrently', async () => {
    const before = await scene.countRows();
    const subject = newSubject();
    const answers = await Promise.all([1, 2, 3].map(() => scene.signInWith(scene.browser(), 'lark', subject)));
    expect(answers.some(({ success }) => success)).toBe(true);
    const after = await scene.countRows();
    expect([after.accounts - before.accounts, after.links - before.links]).toEqual([1, 1]);
  });
});

describe('an existing account', () => {
  test('does not match an existing account by mail address; the user must bind the identity first', async () => {
    const { userId } = await scene.createSignedInBrowser();
    const own = { email: 'Same@example.org', email_verified_time: 1 };
    await scene.app.ctx.db.writer.updateTable('user').set(own).where('id', '=', userId).execute();
    const emails = [{ email: 'same@example.org', primary: true, verified: true }];
    const before = await scene.countRows();
    expect(await byGithub({ id: 701, login: 'same', emails })).toMatchObject({ code: 'bind-first' });
    expect(await scene.countRows()).toEqual(before);
  });

  test('asks for its second factor after the provider as well', async () => {
    const { browser, userId } = await scene.createSignedInBrowser();
    await scene.signInWith(browser, 'github', '801');
    await scene.app.ctx.db.writer
      .insertInto('totp')
      .values({ user_id: userId, secret_sealed: '', created_time: 1, last_step: 0 })
      .execute();
    const before = await scene.countRows();
    expect(await scene.signInWith(scene.browser(), 'github', '801')).toMatchObject({ code: 'second-factor-required' });
    expect(await scene.countRows()).toEqual(before);
  });

  test('keeps its identity when its owner is renamed there, and shows the new name', async () => {
    const first = await byGithub({ id: 901, login: 'before' });
    const again = await byGithub({ id: 901, login: 'after' });
    expect(again.data).toMatchObject({ id: (first.data as { id: number }).id, username: 'before' });
    const stranger = await byGithub({ id: 902, login: 'before' });
    expect(stranger.data).not.toMatchObject({ id: (first.data as { id: number }).id });
    const { label } = await scene.app.ctx.db.writer
      .selectFrom('identity')
      .select('label')
      .where('subject', '=', '901')
      .executeTakeFirstOrThrow();
    expect(label).toBe('after');
  });

  test('needs its user confirmed before anything is bound or removed', async () => {
    const { browser } = await scene.createSignedInBrowser();
    await scene.signInWith(browser, 'github', newSubject());
    scene.app.clock.advance(601);
    for (const path of ['state', 'endpoint'])
      expect(await browser.get(`/api/oauth/${path}`)).toMatchObject({ code: 'step-up-required' });
    expect(await browser.post('/api/oauth/wechat/start')).toMatchObject({ code: 'step-up-required' });
    expect(await browser.post('/api/user/unbind', { type: 'github' })).toMatchObject({ code: 'step-up-required' });
  });

  test('binds nothing when the session ends while the provider is asked', async () => {
    const { browser, userId } = await scene.createSignedInBrowser();
    const subject = newSubject();
    scene.wechat.overrideReply('GET /api/wechat/user', async () => {
      await scene.app.ctx.db.writer.deleteFrom('session').where('user_id', '=', userId).execute();
      return { json: { success: true, message: '', data: subject } };
    });
    const before = await scene.countRows();
    expect(await bindWechat(browser, subject)).toMatchObject({ code: 'not-signed-in' });
    expect((await scene.countRows()).links).toBe(before.links);
    scene.wechat.resetReplies();
  });

  test('unlinks identities, but never the last sign-in method', async () => {
    const browser = scene.browser();
    const { data } = await scene.signInWith(browser, 'github', newSubject());
    expect(await browser.post('/api/user/unbind', { type: 'github' })).toMatchObject({ code: 'conflict' });
    expect(await browser.post('/api/user/unbind', { type: 'lark' })).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('There is no connected account "'),
    });
    await scene.signInWith(browser, 'lark', newSubject());
    expect(await browser.post('/api/user/unbind', { type: 'github' })).toMatchObject({ success: true });
    expect(await browser.post('/api/user/unbind', { type: 'lark' })).toMatchObject({ code: 'conflict' });
    const { id } = data as { id: number };
    expect((await userOf(id)).password_hash).toBe('');
    const passkey = { credential_id: 'c', public_key: '', counter: 0, transports: '[]', rp_id: '', alias: '' };
    await scene.app.ctx.db.writer
      .insertInto('passkey')
      .values({ ...passkey, user_id: id, created_time: 1, last_used_time: 0 })
      .execute();
    expect(await browser.post('/api/user/unbind', { type: 'lark' })).toMatchObject({ success: true });
  });

  test('reports connected and removed identities by mail and in the audit log', async () => {
    const { browser, userId } = await scene.createSignedInBrowser();
    const db = scene.app.ctx.db.writer;
    await setOptions(scene.app.ctx, { SMTPServer: '127.0.0.1', SMTPPort: '1', SMTPFrom: 'gate@gate.example' });
    const own = { email: `u${userId}@example.org`, email_verified_time: 1, language: 'ja_JP' };
    await db.updateTable('user').set(own).where('id', '=', userId).execute();
    await scene.signInWith(browser, 'github', newSubject());
    await browser.post('/api/user/unbind', { type: 'github' });
    const mails = await db
      .selectFrom('mail')
      .select(['template', 'language'])
      .where('recipient', '=', own.email)
      .orderBy('template')
      .execute();
    expect(mails).toEqual([
      { template: 'identity-bound', language: 'ja_JP' },
      { template: 'identity-unbound', language: 'ja_JP' },
    ]);
    const entries = await db
      .selectFrom('audit_entry')
      .select(['action', 'user_id'])
      .where('action', 'like', 'identity.%')
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(['identity.bind', 'identity.unbind']);
    await setOptions(scene.app.ctx, { SMTPServer: settingDefinitions.smtpServer.default });
  });
});

describe('clients that make the authorization address themselves', () => {
  test('get a state and come in without PKCE', async () => {
    const browser = scene.browser();
    const { data: state } = await browser.get('/api/oauth/state');
    expect(state).toMatch(/^[\w-]{43}$/);
    const address = `https://github.com/login/oauth/authorize?state=${String(state)}`;
    const { code } = scene.github.consent(address, { id: 1101, login: 'old-client' });
    expect(await browser.get(`/api/oauth/github?code=${code}&state=${String(state)}`)).toMatchObject({
      success: true,
      data: { username: 'old-client' },
    });
  });
});

describe('WeChat codes', () => {
  test('five may be typed, then the dialog must be opened again', async () => {
    const browser = scene.browser();
    await browser.post('/api/oauth/wechat/start');
    for (let i = 0; i < 5; i += 1)
      expect(await browser.get('/api/oauth/wechat?code=wrong')).toMatchObject({ code: 'wrong-code' });
    const code = scene.wechat.createCode('w-late');
    expect(await browser.get(`/api/oauth/wechat?code=${code}`)).toMatchObject({ code: 'link-expired' });
  });

  test('a wrong one leaves the time as it was', async () => {
    const browser = scene.browser();
    await browser.post('/api/oauth/wechat/start');
    scene.app.clock.advance(100);
    await browser.get('/api/oauth/wechat?code=wrong');
    scene.app.clock.advance(79);
    expect(await browser.get('/api/oauth/wechat?code=wrong')).toMatchObject({ code: 'wrong-code' });
    scene.app.clock.advance(1);
    expect(await browser.get('/api/oauth/wechat?code=wrong')).toMatchObject({ code: 'link-expired' });
  });
});

test('an address may begin and complete twenty sign-ins in twenty minutes', async () => {
  const browser = scene.browser();
  for (let i = 0; i < 20; i += 1) await browser.get('/api/oauth/state');
  expect(await browser.get('/api/oauth/state')).toMatchObject({ code: 'too-many-requests' });
  expect(await browser.get('/api/oauth/github?code=c&state=s')).toMatchObject({ code: 'too-many-requests' });
  expect(await browser.post('/api/oauth/wechat/start')).toMatchObject({ code: 'too-many-requests' });
});

test('the rule about mail domains holds for accounts from elsewhere too', async () => {
  await setOptions(scene.app.ctx, { EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'gate.example' });
  const before = await scene.countRows();
  const refused = await scene.signInWith(scene.browser(), 'github', newSubject());
  expect(refused).toMatchObject({ success: false, code: 'invalid-input' });
  expect(await scene.countRows()).toEqual(before);
  await setOptions(scene.app.ctx, { EmailDomainRestrictionEnabled: 'false' });
});
