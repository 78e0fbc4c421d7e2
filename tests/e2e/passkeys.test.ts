/** Passkeys and codes in a real browser, with Chromium's virtual authenticator. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode } from '../../apps/server/src/accounts/second-factor/second-factor.ts';
import { addVirtualAuthenticator, openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

let stage: E2eStage;
let url: string;
let page: Awaited<ReturnType<typeof openPage>>;

beforeAll(async () => {
  stage = await startStage();
  // Passkeys belong to a host name, and 127.0.0.1 is none.
  url = stage.url.replace('127.0.0.1', 'localhost');
  page = await openPage(stage.browser, url);
  await addVirtualAuthenticator(page);
  await signIn(page, url, stage.account);
});
afterAll(() => stage?.close());

test('a passkey is added in the profile and signs in without a user name', async () => {
  await page.goto(`${url}/panel/profile#passkeys`);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add passkey' });
  await dialog.getByLabel('Name').fill('Test key');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Test key').waitFor();

  await signOut(page);
  await page.goto(`${url}/login?next=%2Fpanel%2Fprofile`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL('**/panel/profile');
  await page.getByRole('list', { name: 'Sessions' }).getByText('passkey').first().waitFor();
});

test('a sensitive action is confirmed by passkey', async () => {
  await stage.expireStepUp();
  await page.getByRole('button', { name: 'Set up' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('dialog', { name: 'Set up authenticator app' }).waitFor();
});

test('an authenticator app is set up with the shown secret and required at the next sign-in', async () => {
  const dialog = page.getByRole('dialog', { name: 'Set up authenticator app' });
  await dialog.getByRole('img', { name: /QR code/ }).waitFor();
  await dialog.getByRole('button', { name: 'Copy secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, Date.now()));
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
  await codes.waitFor();
  const recovery = await codes.getByRole('listitem').allInnerTexts();
  expect(recovery).toHaveLength(10);
  await codes.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('10 left').waitFor();

  await signOut(page);
  await passFirstStep(page);
  // A code is valid once, so the next one is used; the server allows one step of difference.
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, Date.now() + 30_000));
  await page.waitForURL('**/panel/**');

  await signOut(page);
  await passFirstStep(page);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(recovery[0] ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/panel/**');
});

test('a picture is cropped, saved and shown', async () => {
  await page.goto(`${url}/panel/profile`);
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
  await page.locator('input[type=file]').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png });
  await page.getByRole('dialog', { name: 'Profile picture' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Remove picture' }).waitFor();
  const size = await page
    .locator('main img')
    .first()
    .evaluate(async (image) => {
      if (!(image instanceof HTMLImageElement)) return [];
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    });
  expect(size).toEqual([128, 128]);
});

test('all sessions end at once, and nothing stays in the browser', async () => {
  await page.getByRole('button', { name: 'End all sessions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End all sessions' }).click();
  await page.waitForURL('**/login');
  await page.goto(`${url}/panel/profile`);
  await page.waitForURL('**/login?next=**');
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toContain(stage.account.password);
  expect(page.complaints.list).toEqual([]);
});

async function signOut(of: Page): Promise<void> {
  // By keyboard: a toast may still cover the button, and stays while a pointer is over it.
  await of.getByRole('banner').getByRole('button', { name: 'Account' }).press('Enter');
  await of.getByRole('menuitem', { name: 'Sign out' }).click();
  await of.waitForURL(`${url}/`);
}

async function passFirstStep(of: Page): Promise<void> {
  await of.goto(`${url}/login`);
  await of.getByLabel('Username').first().fill(stage.account.username);
  await of.getByLabel('Password', { exact: true }).fill(stage.account.password);
  await of.keyboard.press('Enter');
  await of.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
}

function codeOf(secret: string, atMs: number): string {
  const bits = Array.from(secret, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return totpCode(Buffer.from(bytes), Math.floor(atMs / 30_000));
}
