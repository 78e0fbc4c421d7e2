/** Forms never lose input, save twice, or silently overwrite another user's changes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeys } from '../../packages/contract/src/accounts/api-keys.ts';
import { userDetails } from '../../packages/contract/src/accounts/user-details.ts';
import { createUserGroup, userGroups } from '../../packages/contract/src/accounts/user-groups.ts';
import {
  abortAsOffline,
  clearNetworkErrors,
  createGate,
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

const form = (page: PanelPage) => page.getByRole('dialog');
const save = (page: PanelPage) => form(page).getByRole('button', { name: 'Save' });
const listOf = async (page: PanelPage) => {
  const { data } = await panel.root.api(userGroups).list({ query: {} });
  expect(page.complaints.list).toEqual([]);
  return data;
};

test.each([
  ['the network is gone', abortAsOffline, 'The server cannot be reached.'],
  ['the server fails', refuseCall(500, 'internal'), 'An internal server error occurred.'],
  ['the server is busy', refuseCall(503, 'unavailable'), 'Refused by the test'],
  ['there were too many attempts', refuseCall(429, 'too-many-requests'), 'Refused by the test'],
])('when %s, a form shows the reason, keeps the input, and saves the next time', async (why, answer, sentence) => {
  const symbol = why.replaceAll(' ', '-');
  const page = await panel.open('/panel/user_group', { width: 390 });
  await page.getByRole('button', { name: 'New group' }).first().click();
  await form(page).getByLabel('Identifier').fill(symbol);
  await form(page).getByLabel('Name', { exact: true }).fill('Kept');
  await page.route('**/api/user_group/', answer);
  await save(page).click();
  const said = page.getByRole('alert').filter({ hasText: sentence });
  // On a phone the message is beside the button.
  await said.getByRole('button', { name: 'Close' }).click();
  expect(await form(page).getByLabel('Identifier').inputValue()).toBe(symbol);
  await page.unroute('**/api/user_group/');
  await save(page).click();
  await form(page).waitFor({ state: 'detached' });
  clearNetworkErrors(page);
  expect((await listOf(page)).map((group) => group.symbol)).toContain(symbol);
  await page.context().close();
});

test('a slow network shows progress, and two presses create one token', async () => {
  const page = await panel.open('/panel/token');
  await page.getByRole('button', { name: 'New token' }).first().click();
  await form(page).getByLabel('Name', { exact: true }).fill('only once');
  const { hold, letGo } = createGate();
  await page.route('**/api/token/', hold);
  await save(page).dblclick();
  await form(page).getByRole('progressbar').waitFor();
  letGo();
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
  expect((await panel.root.api(apiKeys).list({ query: {} })).total_count).toBe(1);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a form with unsaved input asks before it closes', async () => {
  const page = await panel.open('/panel/user_group');
  await page.getByRole('button', { name: 'New group' }).click();
  await form(page).getByLabel('Identifier').fill('half');
  await page.keyboard.press('Escape');
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await form(page).getByLabel('Identifier').inputValue()).toBe('half');
  await form(page).getByRole('button', { name: 'Close' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await form(page).waitFor({ state: 'detached' });
  expect((await listOf(page)).map((group) => group.symbol)).not.toContain('half');
  await page.context().close();
});

test('an invalid value is reported at its field: missing, too small, too large, and not a number', async () => {
  const page = await panel.open('/panel/user_group');
  await page.getByRole('button', { name: 'New group' }).click();
  const ratio = form(page).getByLabel('Price ratio');
  for (const wrong of ['-1', 'twice', '', '1e309']) {
    await ratio.fill(wrong);
    await save(page).click();
    await expect.poll(() => ratio.getAttribute('aria-invalid')).toBe('true');
  }
  await ratio.fill('0');
  await form(page).getByLabel('Identifier').fill('not a symbol');
  await save(page).click();
  await form(page).getByText('Invalid format').waitFor();
  await form(page).getByLabel('Identifier').fill('default');
  await form(page).getByLabel('Name', { exact: true }).fill('👩‍👩‍👧‍👦 تجربة');
  await save(page).click();
  await form(page).getByText('Already taken').waitFor();
  await form(page).getByLabel('Identifier').fill('free');
  await save(page).click();
  await form(page).waitFor({ state: 'detached' });
  await page.getByText('👩‍👩‍👧‍👦 تجربة').waitFor();
  clearNetworkErrors(page);
  expect(await listOf(page)).toContainEqual(expect.objectContaining({ symbol: 'free', ratio: 0 }));
  await page.context().close();
});

test('concurrent changes of one group by two administrators to different fields are both kept', async () => {
  const { id } = await panel.root
    .api(userGroups)
    .create({ body: createUserGroup.parse({ symbol: 'shared', name: 'Shared', ratio: 1, api_rate: 60 }) });
  const [ada, bob] = await Promise.all([1, 2].map(() => panel.open(`/panel/user_group?edit=${id}`)));
  if (ada === undefined || bob === undefined) throw new Error('Two windows were opened');
  await form(ada).getByLabel('Price ratio').fill('0.5');
  await form(bob).getByLabel('Name', { exact: true }).fill('Renamed');
  await save(ada).click();
  await form(ada).waitFor({ state: 'detached' });
  await save(bob).click();
  await form(bob).waitFor({ state: 'detached' });
  expect(await listOf(bob)).toContainEqual(expect.objectContaining({ id, ratio: 0.5, name: 'Renamed' }));
  await Promise.all([ada.context().close(), bob.context().close()]);
});

test('a session that ends while a form is open loses no input: after a sign-in elsewhere it continues', async () => {
  const ada = await panel.createUser('admin');
  const page = await panel.open('/panel/user_group', { as: ada });
  await page.getByRole('button', { name: 'New group' }).click();
  await form(page).getByLabel('Identifier').fill('unfinished');
  await form(page).getByLabel('Name', { exact: true }).fill('Unfinished');
  await panel.root.api(userDetails).endSessions({ params: { id: ada.id } });
  await save(page).click();
  const ended = page.getByRole('dialog', { name: 'You are signed out' });
  await ended.getByRole('button', { name: 'Continue' }).click();
  await ended.getByText('You are still signed out.').waitFor();

  const [elsewhere] = await Promise.all([
    page.context().waitForEvent('page'),
    ended.getByRole('link', { name: 'Sign in' }).click(),
  ]);
  await elsewhere.getByLabel('Username').fill(ada.username);
  await elsewhere.getByLabel('Password', { exact: true }).fill(ada.password);
  await elsewhere.keyboard.press('Enter');
  await elsewhere.waitForURL('**/panel/**');
  await elsewhere.close();

  await ended.getByRole('button', { name: 'Continue' }).click();
  await ended.waitFor({ state: 'detached' });
  expect(await form(page).getByLabel('Identifier').inputValue()).toBe('unfinished');
  await save(page).click();
  await form(page).waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'Unfinished' }).waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a session that ends without unsaved input leads through the sign-in back to the screen', async () => {
  const ada = await panel.createUser('admin');
  const page = await panel.open('/panel/user_group', { as: ada });
  await panel.root.api(userDetails).endSessions({ params: { id: ada.id } });
  await page.goto(`${panel.url}/panel/user`);
  await page.getByLabel('Username').fill(ada.username);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/panel/user');
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await page.context().close();
});
