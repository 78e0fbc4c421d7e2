/**
 * A newcomer on a phone, in Japanese: signs up by mail, adds a passkey and signs in with it, connects GitHub, and ends
 * all sessions. The mail server and the browser's authenticator are real; GitHub is scripted.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../../apps/server/src/testing/mail-server.ts';
import {
  githubApp,
  type ScriptedGithub,
  startGithub,
} from '../../apps/server/src/testing/scripted-identity-providers/github.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { startTestApp, type TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { addVirtualAuthenticator, openPage, startBrowser } from './browser.ts';

let browser: Browser;
let mail: MailServer;
let github: ScriptedGithub;
let app: TestApp;
/** Passkeys belong to a host name, and 127.0.0.1 is none. */
let url: string;
let page: Awaited<ReturnType<typeof openPage>>;

beforeAll(async () => {
  [browser, mail, github] = await Promise.all([startBrowser(), startMailServer(), startGithub()]);
  app = await startTestApp({
    originOverrides: { 'https://github.com': github.url, 'https://api.github.com': github.url },
  });
  url = app.url.replace('127.0.0.1', 'localhost');
  await app.createUser('root');
  await setOptions(app.ctx, {
    ServerAddress: url,
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gate@gate.example',
    EmailVerificationEnabled: 'true',
    GitHubOAuthEnabled: 'true',
    GitHubClientId: githubApp.id,
    GitHubClientSecret: githubApp.secret,
  });
  page = await openPage(browser, url, { width: 390, language: 'ja_JP' });
  await addVirtualAuthenticator(page);
  await page.context().route('https://github.com/**', (route) => {
    const { code, state } = github.consent(route.request().url(), { id: 4711, login: 'hanako-dev' });
    const back = JSON.stringify(`${url}/oauth/github?code=${code}&state=${state}`);
    return route.fulfill({ contentType: 'text/html', body: `<script>location.replace(${back})</script>` });
  });
});
afterAll(async () => {
  await Promise.all([browser?.close(), app?.close(), mail?.close(), github?.close()]);
});

test('signs up with the code from the mail', async () => {
  await page.goto(`${url}/login`);
  await page.getByRole('link', { name: '新規登録' }).click();
  await page.waitForURL('**/register');
  await page.getByLabel('ユーザー名', { exact: true }).fill('hanako');
  await page.getByLabel('メールアドレス').fill('hanako@example.jp');
  await page.getByRole('button', { name: 'コードを送信' }).click();
  const letter = await mail.waitForNext();
  expect(letter.to).toBe('hanako@example.jp');
  expect(letter.subject).toMatch(/確認コード|認証コード/);
  const code = /\b\d{8}\b/.exec(letter.text)?.[0] ?? '';
  await page.getByLabel('確認コード').fill(code);
  await page.getByLabel('パスワード', { exact: true }).fill('あさひのぼる山のみち');
  await page.getByLabel('パスワード（確認）').fill('あさひのぼる山のみち');
  await page.getByRole('button', { name: 'アカウントを作成' }).click();
  await page.waitForURL('**/login');
});

test('signs in with the password, by the mail address', async () => {
  await page.getByLabel('ユーザー名またはメールアドレス').fill('hanako@example.jp');
  await page.getByLabel('パスワード', { exact: true }).fill('あさひのぼる山のみち');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/panel/**');
});

test('adds a passkey, gets a mail about it, and signs in with it', async () => {
  await page.goto(`${url}/panel/profile#passkeys`);
  await page.getByRole('button', { name: 'パスキーを追加' }).click();
  const dialog = page.getByRole('dialog', { name: 'パスキーを追加' });
  await dialog.getByLabel('名前').fill('わたしの電話');
  await dialog.getByRole('button', { name: '続ける' }).click();
  await page.getByRole('list', { name: 'パスキー' }).getByText('わたしの電話').waitFor();
  expect((await mail.waitForNext()).text).toMatch(/パスキー/);

  await page.context().clearCookies();
  await page.goto(`${url}/login?next=%2Fpanel%2Fprofile`);
  await page.getByRole('button', { name: 'パスキーでサインイン' }).click();
  await page.waitForURL('**/panel/profile');
  // Without its cookies the browser is unknown to the server.
  expect((await mail.waitForNext()).subject).toMatch(/サインイン/);
});

test('connects GitHub, and signs in with it after the second step', async () => {
  await page.getByRole('button', { name: 'GitHub と連携する' }).click();
  await page.getByText('GitHub と連携しました').waitFor();
  await page.goto(`${url}/panel/profile#bindings`);
  await page.getByText('hanako-dev').waitFor();
  expect((await mail.waitForNext()).text).toContain('GitHub');

  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await page.getByRole('button', { name: 'GitHub で続ける' }).click();
  await page.waitForURL('**/login?step=second');
  await page.getByRole('button', { name: /パスキー/ }).click();
  await page.waitForURL('**/panel/**');
});

test('ends all sessions, and everything has fitted on the small screen', async () => {
  await page.goto(`${url}/panel/profile#sessions`);
  await page.getByRole('button', { name: 'すべてのセッションを終了' }).click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('alertdialog').getByRole('button', { name: 'すべてのセッションを終了' }).click();
  await page.waitForURL('**/login');
  const open = await app.ctx.db.writer
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select('session.user_id')
    .where('user.username', '=', 'hanako')
    .execute();
  expect(open).toEqual([]);
  await page.goto(`${url}/panel/profile`);
  await page.waitForURL('**/login?next=**');
  const outside = page.complaints.list.filter((complaint) => !complaint.startsWith('called https://github.com/'));
  expect(outside).toEqual([]);
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toMatch(/あさひ|hanako@example/);
});
