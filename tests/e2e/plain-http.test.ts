/** The console over HTTP without TLS, where browsers send neither `Sec-Fetch-Site` nor the origin of a GET. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { openPage, startBrowser } from './browser.ts';

let scene: RelayScene;
let browser: Browser;

beforeAll(async () => {
  // Browsers treat a loopback address as secure.
  [scene, browser] = await Promise.all([
    startRelayScene(),
    startBrowser(['--host-resolver-rules=MAP gate.example 127.0.0.1']),
  ]);
});
afterAll(async () => {
  await Promise.all([scene.close(), browser.close()]);
});

test('a user signs in and out', async () => {
  const url = scene.url.replace('127.0.0.1', 'gate.example');
  const page = await openPage(browser, url);
  await page.goto(`${url}/login`);
  await page.getByLabel('Username or email').fill(scene.user.username);
  await page.getByLabel('Password').fill(scene.user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/panel/**');
  const session = (await page.context().cookies()).find(({ name }) => name === 'switchyard_session');
  // By keyboard: a toast may still cover the button.
  await page.getByRole('button', { name: 'Account' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(`${url}/`);
  const cookie = `switchyard_session=${session?.value ?? ''}`;
  expect((await fetch(`${scene.url}/api/user/self`, { headers: { cookie } })).status).toBe(401);
  await page.context().close();
});
