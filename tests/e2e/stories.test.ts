/** Daily tasks in a real browser, found by the labels on the screen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

let stage: E2eStage;

beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.close());

const open = (options: Parameters<typeof openPage>[2] = {}) => openPage(stage.browser, stage.url, options);

async function openTokens(width: number) {
  const page = await open({ width });
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/token`);
  return page;
}

const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]));

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name: action }).click();
}

test.each([
  ['a desk', 1440],
  ['a phone', 390],
])('on %s, a token is created, shown once, revealed after the password, disabled, deleted', async (where, width) => {
  const page = await openTokens(width);
  const name = `from ${where}`;
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = /sk-sy\w+/.exec(await shown.innerText())?.[0] ?? 'none was shown';
  expect(key).toMatch(/^sk-sy/);
  await page.keyboard.press('Escape');
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  await stage.expireStepUp();
  await choose(page, 'Copy key');
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel('Password').fill(stage.account.password);
  await question.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Copied: key').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

  await choose(page, 'Disable');
  await page.getByText('1 token disabled').waitFor();
  await page.getByText('Disabled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' });

  await choose(page, 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(name, { exact: true }).waitFor({ state: 'detached' });
  expect(await stored(page)).not.toMatch(new RegExp(`sk-|${stage.account.password}`));
  expect(page.complaints.list).toEqual([]);
});

test('a wrong password and too many tries are reported in the page’s language', async () => {
  const page = await open({ language: 'ja_JP' });
  await page.goto(`${stage.url}/login`);
  await page.getByLabel('パスワード').fill('wrong');
  await page.locator('input[name=username]').fill('nobody');
  const said = page.getByRole('alert');
  await page.keyboard.press('Enter');
  await said.getByText('パスワード').waitFor();
  await expect
    .poll(
      async () => {
        await page.getByRole('main').locator('button[type=submit]').click();
        return said.innerText();
      },
      { timeout: 60_000, interval: 50 },
    )
    .toContain('分後');
});

test('a session that ends elsewhere leads to sign-in and back to the same screen', async () => {
  const page = await open();
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/log?model=scripted-model`);
  await page.getByRole('heading', { name: 'Log' }).waitFor();
  const sessions = await stage.root.api(profile).listSessions();
  for (const { id, current } of sessions) {
    if (!current) await stage.root.api(profile).endSession({ params: { id } });
  }
  const isSignedOut = page.waitForURL('**/login?**');
  // The screen may notice it by a call of its own, before the click.
  const clicked = page.getByRole('link', { name: 'Tokens' }).click();
  await Promise.race([clicked.catch(() => isSignedOut), isSignedOut]);
  await isSignedOut;
  const next = new URL(page.url()).searchParams.get('next') ?? '';
  expect(next).toMatch(/^\/panel\/(token|log\?model=scripted-model)$/);
  await page.getByLabel('Username').fill(stage.account.username);
  await page.getByLabel('Password', { exact: true }).fill(stage.account.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(stage.url + next);
});

test('language and scheme survive a reload without a flash', async () => {
  const page = await open();
  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitem', { name: '日本語' }).click();
  await page.locator('html[lang=ja-JP]').waitFor();
  // Records the scheme of every frame from the first one on.
  await page.addInitScript(() => {
    const seen = new Set<string>();
    const look = () => {
      if (document.body !== null) {
        const { dataset } = document.documentElement;
        seen.add(dataset['colorScheme'] ?? 'none');
        dataset['seen'] = [...seen].join(' ');
      }
      requestAnimationFrame(look);
    };
    look();
  });
  await page.reload();
  await page.getByRole('link', { name: 'サインイン' }).first().waitFor();
  expect(await page.locator('html').getAttribute('data-seen')).toBe('dark');
  expect(page.complaints.list).toEqual([]);
});

test('visitors see the models’ status only after the operator publishes it', async () => {
  await stage.addChannelHistory();
  const before = await open();
  await before.goto(`${stage.url}/status`);
  await before.getByText('The status page is not published.').waitFor();
  expect(await before.getByRole('link', { name: 'Status' }).count()).toBe(0);
  await stage.root.api(settings).update({ body: { key: 'StatusPageEnabled', value: 'true' } });
  const after = await open();
  await after.goto(stage.url);
  await after.getByRole('link', { name: 'Status' }).click();
  await after.getByRole('heading', { name: 'Status' }).waitFor();
  const row = after.getByRole('listitem').filter({ hasText: 'scripted-model' });
  await row.getByText('No incidents in 90 days').waitFor();
  await after.getByRole('button', { name: '24 hours' }).click();
  await after.getByRole('img', { name: /scripted-model, 24 hours/ }).waitFor();
  expect(after.complaints.list).toEqual([]);
});
