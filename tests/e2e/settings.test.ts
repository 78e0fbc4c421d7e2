/** Settings: root's for the site, a user's own profile, and root's view of the running system. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { waitUntilLoaded } from './browser.ts';
import {
  abortAsOffline,
  clearNetworkErrors,
  type Panel,
  type PanelPage,
  refuseCall,
  startPanel,
} from './open-panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel?.close());

const save = (page: PanelPage) => page.getByRole('button', { name: 'Save', exact: true });
const attempts = (page: PanelPage) => page.getByRole('textbox', { name: 'Retries' });

test('a setting is found, validated, kept when saving fails, and saved without the others', async () => {
  const page = await panel.open('/panel/setting', { width: 390 });
  const search = page.getByRole('searchbox', { name: 'Search settings' });
  await search.fill('nothing is called so');
  await page.getByText('No setting matches.').waitFor();
  await search.fill('RetryTimes');
  await attempts(page).fill('-1');
  await page.getByText('1 unsaved change').waitFor();
  await save(page).click();
  await page.getByText('At least 0', { exact: true }).waitFor();
  await attempts(page).fill('4');
  await page.route('**/api/option/**', abortAsOffline);
  await save(page).click();
  const said = page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' });
  await said.getByRole('button', { name: 'Close' }).click();
  expect(await attempts(page).inputValue()).toBe('4');
  await page.unroute('**/api/option/**');
  // Meanwhile another user changes another setting.
  await panel.root.api(settings).update({ body: { key: 'SystemName', value: 'Elsewhere' } });
  await save(page).click();
  await page.getByText('1 setting saved').waitFor();
  await page.reload();
  await attempts(page).waitFor();
  expect(await attempts(page).inputValue()).toBe('4');
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Elsewhere');
  clearNetworkErrors(page);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('unsaved settings are not lost by accident, and can be discarded', async () => {
  const page = await panel.open('/panel/setting');
  const before = await attempts(page).inputValue();
  await attempts(page).fill('9');
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await attempts(page).inputValue()).toBe('9');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await attempts(page).inputValue()).toBe(before);
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click();
  await page.waitForURL('**/panel/token');
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a profile changes its name, language, password with the old one, and ends its other sessions', async () => {
  const ada = await panel.createUser('user');
  const page = await panel.open('/panel/profile', { as: ada });
  await page.getByLabel('Display name').fill('Ada <b>L</b> 👩‍🔬');
  await page.locator('#names').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password', { exact: true }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The password is wrong', { exact: true }).waitFor();
  expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('correct horse battery staple');
  await page.getByLabel('Current password').fill(ada.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect.poll(() => page.getByLabel('Current password').inputValue()).toBe('');
  await page.getByRole('combobox', { name: 'Language', exact: true }).click();
  await page.getByRole('option', { name: '日本語' }).click();
  await page.locator('html[lang=ja-JP]').waitFor();
  expect((await ada.api(profile).get()).display_name).toBe('Ada <b>L</b> 👩‍🔬');
  clearNetworkErrors(page);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('the system’s state, its log and its jobs have URLs, and a job that cannot start says why', async () => {
  const page = await panel.open('/panel/system_info');
  await page.getByText('Event loop delay').waitFor();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.waitForURL('**tab=log');
  await page.getByRole('log').waitFor();
  await page.getByRole('tab', { name: 'Jobs' }).click();
  await page.route('**/run', refuseCall(500, 'internal'));
  await page
    .getByRole('button', { name: /Run now/ })
    .first()
    .click();
  await page.getByRole('alert').filter({ hasText: 'An internal server error occurred.' }).waitFor();
  await page.unroute('**/run');
  await page.goBack();
  await page.getByRole('log').waitFor();
  clearNetworkErrors(page);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('an audit entry is found by its target, opened, and closed by Back', async () => {
  const page = await panel.open('/panel/audit');
  await page.getByText('Log intact').waitFor();
  await page.getByRole('searchbox').fill('user:1');
  await page.waitForURL('**target=user**');
  // The old rows stay until the new ones have arrived.
  await waitUntilLoaded(page);
  await page.getByRole('table', { name: 'Audit log' }).getByRole('row').nth(1).click();
  const entry = page.getByRole('dialog');
  await entry.getByText('127.0.0.1').first().waitFor();
  await page.goBack();
  await entry.waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('target')).toBe('user:1');
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
