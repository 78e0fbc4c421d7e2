/** A user's page and the impersonation banner are accessible. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { users } from '../../packages/contract/src/accounts/users.ts';
import { sampleOf } from '../tier.ts';
import { findViolations, installAxe } from './axe.ts';
import { openPage, signIn, waitUntilLoaded } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const TABS = ['Overview', 'Tokens', 'Usage', 'Orders', 'Balance history', 'Sessions', 'Audit log'];
/** Every short run tries others; the full run tries all of them. */
const TABS_OF_A_DAY = 3;

let stage: E2eStage;
beforeAll(async () => {
  stage = await startStage();
  await stage.root.api(users).create({ body: { username: 'grace', password: 'a rather good one' } });
});
afterAll(() => stage?.close());

test('every tab of the page and the banner are accessible', async () => {
  const page = await openPage(stage.browser, stage.url);
  await installAxe(page);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/user/2`);
  for (const tab of sampleOf(TABS, TABS_OF_A_DAY)) {
    await page.getByRole('tab', { name: tab }).click();
    await waitUntilLoaded(page);
    expect(await findViolations(page, tab)).toEqual([]);
  }
  await page.evaluate(() =>
    fetch('/api/impersonation', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 2, reason: 'Ticket 17' }),
    }),
  );
  await page.goto(`${stage.url}/panel/topup`);
  await page.getByRole('complementary', { name: 'Impersonating another user' }).waitFor();
  expect(await findViolations(page, 'banner')).toEqual([]);
  await page.context().close();
});
