/** Groups, staff roles and users, from their creation to their deletion. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../apps/server/src/accounts/users/create-and-find-users.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { staffRoles } from '../../packages/contract/src/accounts/staff-roles.ts';
import { userGroups } from '../../packages/contract/src/accounts/user-groups.ts';
import { users } from '../../packages/contract/src/accounts/users.ts';
import { type Panel, type PanelPage, startPanel } from './open-panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
  for (const username of ['ada', 'bob', 'zoe'])
    await createAccount(panel.ctx, { username, role: 'user', group: 'default' });
});
afterAll(() => panel?.close());

const dialog = (page: PanelPage) => page.getByRole('dialog');
const rowOf = (page: PanelPage, text: string) => page.getByRole('row').filter({ hasText: text });
async function choose(page: PanelPage, row: string, action: string): Promise<void> {
  await rowOf(page, row).getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
const confirm = (page: PanelPage, verb: string) =>
  page.getByRole('alertdialog').getByRole('button', { name: verb, exact: true }).click();

test('a group is created, changed, copied, disabled, enabled, and deleted when it is unused', async () => {
  const page = await panel.open('/panel/user_group');
  await page.getByRole('button', { name: 'New group' }).click();
  await page.waitForURL('**edit=new**');
  await dialog(page).getByLabel('Identifier').fill('school');
  await dialog(page).getByLabel('Name', { exact: true }).fill('School');
  await dialog(page).getByLabel('Price ratio').fill('0.8');
  await dialog(page).getByText('A call with a list price of $1.00 costs $0.80.').waitFor();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await rowOf(page, 'School').getByText('×0.8').waitFor();

  await page.getByText('School', { exact: true }).click();
  await dialog(page).getByLabel('Requests per minute').fill('0');
  await dialog(page).getByText('No limit.', { exact: true }).waitFor();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'School').getByText('No limit').waitFor();

  await choose(page, 'School', 'Duplicate');
  await dialog(page).getByLabel('Identifier').fill('school-2');
  expect(await dialog(page).getByLabel('Name', { exact: true }).inputValue()).toBe('School (copy)');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'School (copy)').getByText('×0.8').waitFor();

  await choose(page, 'School (copy)', 'Disable');
  await page.getByText('School (copy) disabled').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await rowOf(page, 'School (copy)').getByText('Enabled').waitFor();
  await choose(page, 'School (copy)', 'Delete');
  await confirm(page, 'Delete');
  await rowOf(page, 'School (copy)').waitFor({ state: 'detached' });
  const symbols = async () => (await panel.root.api(userGroups).list({ query: {} })).data.map(({ symbol }) => symbol);
  // The row may disappear before the server has responded.
  await expect.poll(symbols).not.toContain('school-2');
  expect(await symbols()).toContain('school');
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a staff role is created and assigned, and its member sees only what it allows', async () => {
  await panel.root.api(profile).stepUp({ body: { password: panel.root.password } });
  const page = await panel.open('/panel/staff_role');
  await page.getByRole('button', { name: 'New role' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Cashier');
  await dialog(page).getByRole('checkbox', { name: 'View orders' }).click();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Cashier' }).waitFor();
  await page.getByRole('button', { name: 'Edit Cashier' }).click();
  await dialog(page).getByRole('checkbox', { name: 'View users' }).click();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  const role = (await panel.root.api(staffRoles).list({})).find(({ name }) => name === 'Cashier');
  expect(role?.permissions).toEqual(expect.arrayContaining(['orders.read', 'users.read']));

  const cashier = await panel.createUser('staff', { username: 'cashier' });
  if (role === undefined) throw new Error('There is no such role');
  await panel.root.api(users).update({ body: { id: cashier.id, staff_role: role.id } });
  const theirs = await panel.open('/panel/payment', { as: cashier });
  await theirs.getByText('No orders yet.').waitFor();
  const drawer = theirs.getByRole('navigation', { name: 'Main navigation' });
  await drawer.getByRole('link', { name: 'Users', exact: true }).click();
  await rowOf(theirs, 'ada').waitFor();
  expect(await drawer.getByRole('link', { name: 'Channels' }).count()).toBe(0);
  expect(await theirs.getByRole('button', { name: 'New user' }).count()).toBe(0);
  await theirs.goto(`${panel.url}/panel/staff_role`);
  await theirs.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
  expect(theirs.complaints.list).toEqual([]);

  await page.reload();
  await page.getByText('1 member', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete Cashier' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Delete Support' }).click();
  await confirm(page, 'Delete');
  await page.getByRole('heading', { name: 'Support' }).waitFor({ state: 'detached' });
  expect(page.complaints.list).toEqual([]);
  await Promise.all([page.context().close(), theirs.context().close()]);
});

test('a user is created, edited, and has points added and removed, but not below zero', async () => {
  const page = await panel.open('/panel/user');
  await page.getByRole('button', { name: 'New user' }).click();
  await dialog(page).getByLabel('Username').fill('grace');
  await dialog(page).getByLabel('Password', { exact: true }).fill('short');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('At least 8 characters', { exact: true }).waitFor();
  await dialog(page).getByLabel('Password', { exact: true }).fill('a rather good one');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'grace').waitFor();
  await choose(page, 'grace', 'Edit');
  await page.waitForURL('**edit=**');
  await dialog(page).getByLabel('Display name').fill('Grace');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).waitFor({ state: 'detached' });

  await choose(page, 'grace', 'Adjust balance');
  const amount = dialog(page).getByLabel('Amount');
  await amount.fill('1e999');
  await dialog(page).getByText('Enter an amount above 0').waitFor();
  await amount.fill('5');
  await dialog(page).getByText('New balance: $5.00').waitFor();
  await dialog(page).getByLabel('Remark').fill('Welcome');
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).last().click();
  await page.getByText('grace now has $5.00').waitFor();
  await choose(page, 'grace', 'Adjust balance');
  await dialog(page).getByRole('button', { name: 'Deduct' }).first().click();
  await amount.fill('6');
  await dialog(page).getByText('The amount exceeds the balance').waitFor();
  expect(await dialog(page).getByRole('button', { name: 'Deduct' }).last().isDisabled()).toBe(true);
  await page.keyboard.press('Escape');

  await choose(page, 'grace', 'Open page');
  await page.getByRole('tab', { name: 'Balance history' }).click();
  await page.waitForURL('**tab=balance**');
  await page.getByText('Welcome').waitFor();
  await page.goBack();
  await page.getByText('Display name', { exact: true }).waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('several users are disabled and moved at once, and the selection is cleared', async () => {
  const page = await panel.open('/panel/user');
  const bar = page.getByRole('toolbar', { name: 'Actions on the selected rows' });
  for (const name of ['ada', 'bob']) await rowOf(page, name).getByRole('checkbox').click();
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Disable' }).click();
  await confirm(page, 'Disable');
  await bar.waitFor({ state: 'detached' });
  await rowOf(page, 'ada').getByText('Disabled').waitFor();
  await page.getByRole('checkbox', { name: 'Select all rows' }).click();
  await bar.getByRole('button', { name: 'Set group' }).click();
  await page.getByRole('menuitem', { name: 'VIP', exact: true }).click();
  await rowOf(page, 'zoe').getByText('VIP', { exact: true }).waitFor();
  await rowOf(page, 'bob').getByRole('checkbox').click();
  await bar.getByRole('button', { name: 'Clear selection' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
