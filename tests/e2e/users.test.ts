/** An operator manages one user in a real browser: looks at the account, ends a session, impersonates the user. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowserVisitor } from '../../apps/server/src/testing/visitor.ts';
import { signIn as signInContract } from '../../packages/contract/src/accounts/sign-in.ts';
import { users } from '../../packages/contract/src/accounts/users.ts';
import { openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

let stage: E2eStage;
const grace = { username: 'grace', password: 'a rather good one' };

beforeAll(async () => {
  stage = await startStage();
  const root = createBrowserVisitor(stage.url);
  await root.api(signInContract).signIn({ body: stage.account });
  await root.api(users).create({ body: { ...grace, display_name: 'Grace' } });
  await createBrowserVisitor(stage.url).api(signInContract).signIn({ body: grace });
});
afterAll(() => stage?.close());

test.each([
  ['a desk', 1440, false],
  ['a phone at night', 390, true],
])('on %s, root finds a user’s page, impersonates the user, and returns to it', async (_where, width, dark) => {
  const page = await openPage(stage.browser, stage.url, { width, dark });
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/user?keyword=grace`);
  await page.getByRole('button', { name: 'More', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Open page' }).click();
  await page.getByRole('tab', { name: 'Overview' }).waitFor();
  const own = page.url();

  await stage.expireStepUp();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Impersonate grace' }).click();
  await page.getByLabel('Reason').fill('Ticket 17');
  await page.getByRole('dialog').getByRole('button', { name: 'Impersonate' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel('Password').fill(stage.account.password);
  await question.getByRole('button', { name: 'Confirm' }).click();
  const banner = page.getByRole('complementary', { name: 'Impersonating another user' });
  await banner.getByText('minutes left').waitFor();
  expect(await banner.innerText()).toContain('you are viewing the console as grace');

  // The banner is on every screen, and nothing can be changed.
  await page.goto(`${stage.url}/panel/profile`);
  await banner.waitFor();
  await page.getByLabel('Display name').fill('Not by grace');
  await page.locator('#names').getByRole('button', { name: 'Save' }).click();
  await page.getByText('You cannot make changes while impersonating').waitFor();
  await page.goto(`${stage.url}/price`);
  await banner.waitFor();

  await banner.getByRole('button', { name: 'End' }).click();
  await page.waitForURL(own.split('?')[0] ?? own);
  await page.getByRole('tab', { name: 'Audit log' }).waitFor();
  expect(await banner.count()).toBe(0);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('root ends a user’s session and finds it in the audit log', async () => {
  const page = await openPage(stage.browser, stage.url);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/user?keyword=grace`);
  await page.getByText('grace').first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open page' }).click();
  await page.getByRole('tab', { name: 'Sessions' }).click();
  await page.getByRole('button', { name: /^End the session on/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('No active sessions.').waitFor();
  await page.getByRole('tab', { name: 'Audit log' }).click();
  await page.getByText('Ended a user’s session').waitFor();
  await page.getByText('Started impersonating a user').first().waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
