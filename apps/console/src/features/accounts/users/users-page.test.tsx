import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { currentUserQuery } from '../session/queries.ts';
import { wireGroup } from '../user-groups/user-groups.samples.ts';
import { wireSeenKey, wireUser } from './users-and-keys.samples.ts';
import { UsersPage } from './users-page.tsx';

/** Renders the page for an administrator whose account is already loaded. */
async function showUsers(address: string) {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed({ ...wireSelfOf('admin'), id: 2 }));
  const shown = show(<UsersPage />, address);
  await shown.queryClient.ensureQueryData(currentUserQuery);
  return shown;
}

beforeEach(() => {
  script('get', '/api/user/7/tokens', () => succeed([]));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default', { name: 'Everybody' })])));
});

it('requests the filters of the URL', async () => {
  const calls = script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace')])));
  await showUsers('/panel/user?role=staff&status=disabled&group=default&keyword=gr');
  await screen.findByText('grace');
  const query = Object.fromEntries(calls[0]?.url.searchParams ?? []);
  expect(query).toMatchObject({ role: '3', status: '2', group: 'default', keyword: 'gr' });
});

it('shows the new balance before deducting and never deducts more than the balance', async () => {
  script('get', '/api/user/', () => succeed(wirePage([])));
  script('get', '/api/user/7', () => succeed(wireUser(7, 'grace')));
  const changes = script('post', '/api/user/quota/7', () => succeed(wireUser(7, 'grace', { quota: 750_000 })));
  const { user } = await showUsers('/panel/user?open=7');
  await user.click(await screen.findByRole('button', { name: 'Adjust balance' }));
  const dialog = await screen.findByRole('dialog', { name: 'Balance of grace' });
  await user.click(within(dialog).getByRole('button', { name: 'Deduct', pressed: false }));
  const amount = within(dialog).getByLabelText('Amount');
  await user.type(amount, '3');
  expect(within(dialog).getByText('The amount exceeds the balance')).toBeTruthy();
  await user.clear(amount);
  await user.type(amount, '0.5');
  expect(within(dialog).getByText('New balance: $1.50 (750,000 points)')).toBeTruthy();
  await user.type(within(dialog).getByLabelText('Remark'), 'refund');
  await user.keyboard('{Enter}');
  await screen.findByText('grace now has $1.50 (750,000 points)');
  expect(changes[0]?.body).toEqual({ quota: -250_000, remark: 'refund' });
});

it('offers an administrator no action that only root may take', async () => {
  const rows = [wireUser(1, 'root', { role: 100 }), wireUser(7, 'grace')];
  script('get', '/api/user/', () => succeed(wirePage(rows)));
  const { user } = await showUsers('/panel/user');
  await screen.findByText('grace');
  const [ofRoot, ofGrace] = screen.getAllByRole('button', { name: 'More' });
  if (ofRoot === undefined || ofGrace === undefined) throw new Error('no rows');
  await user.click(ofRoot);
  const names = (await screen.findAllByRole('menuitem')).map((item) => item.textContent);
  expect(names).toEqual(['Open page', 'Show log']);
  await user.keyboard('{Escape}');
  await user.click(ofGrace);
  await screen.findByRole('menuitem', { name: 'Make Trusted staff' });
  expect(screen.queryByRole('menuitem', { name: 'Make Administrator' })).toBeNull();
});

it('disables a user and undoes it', async () => {
  script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace')])));
  const updates = script('put', '/api/user/', () => succeed(wireUser(7, 'grace')));
  const { user } = await showUsers('/panel/user');
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await screen.findByText('grace disabled and signed out');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(updates.map(({ body }) => body)).toEqual([
      { id: 7, status: 2 },
      { id: 7, status: 1 },
    ]),
  );
});

it('sends only the changed values of a user, without an empty password', async () => {
  script('get', '/api/user/', () => succeed(wirePage([])));
  script('get', '/api/user/7', () => succeed(wireUser(7, 'grace')));
  const updates = script('put', '/api/user/', () => succeed(wireUser(7, 'grace')));
  const { user } = await showUsers('/panel/user?edit=7');
  await user.type(await screen.findByLabelText('Display name'), 'Grace');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ id: 7, display_name: 'Grace' });
});

it('deletes a user only after the name is typed', async () => {
  script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace')])));
  const removed = script('delete', '/api/user/7', () => succeed(null));
  const { user } = await showUsers('/panel/user');
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog');
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  expect(button.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), 'grace');
  await user.click(button);
  await screen.findByText('grace deleted');
  expect(removed).toHaveLength(1);
});

it('changes the price ratio of a token', async () => {
  script('get', '/api/user/', () => succeed(wirePage([])));
  script('get', '/api/user/7', () => succeed(wireUser(7, 'grace')));
  script('get', '/api/user/7/tokens', () => succeed([wireSeenKey(3, 'ci')]));
  const changes = script('put', '/api/token/3/ratio', () => succeed(null));
  const { user } = await showUsers('/panel/user?open=7');
  const field = await screen.findByRole('textbox', { name: 'Ratio of ci' });
  await user.clear(field);
  await user.type(field, '0.85{Enter}');
  await screen.findByText('Ratio of ci: 0.85');
  expect(changes[0]?.body).toEqual({ ratio: 0.85 });
});

it('shows an overdraft and ledger discrepancies, and unlocks the account', async () => {
  const alarm = { problem: 'balance of user 7', difference: 7, found_at: 1_700_000_000 };
  const alarmed = wireUser(7, 'grace', { quota: -250_000, ledger_alarms: [alarm] });
  script('get', '/api/user/', () => succeed(wirePage([alarmed])));
  script('get', '/api/user/7', () => succeed(alarmed));
  const acknowledged = script('post', '/api/user/7/acknowledge-alarms', () => succeed(wireUser(7, 'grace')));
  const { user } = await showUsers('/panel/user?open=7');
  expect((await screen.findAllByText('Locked')).length).toBeGreaterThan(0);
  await screen.findByText(/^\$0\.50 owed/);
  expect(screen.getByText(/balance of user 7: 7 points/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Unlock user' }));
  await waitFor(() => expect(acknowledged).toHaveLength(1));
});

it('resets second factors after a confirmation', async () => {
  script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace')])));
  const reset = script('delete', '/api/user/7/second_factor', () => succeed(null));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed({ ...wireSelfOf('admin'), id: 2 }));
  const { user, queryClient } = show(<UsersPage />, '/panel/user');
  await queryClient.ensureQueryData(currentUserQuery);
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Reset two-factor authentication' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Reset' }));
  await screen.findByText('Two-factor authentication reset: grace');
  expect(reset).toHaveLength(1);
});

it('changes several users at once and names those that were refused', async () => {
  script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace'), wireUser(8, 'alan')])));
  const refusal = { code: 'insufficient-balance', message: 'not enough' };
  const changes = script('post', '/api/user/quotas', () =>
    succeed([
      { id: 7, username: 'grace', refusal: null },
      { id: 8, username: 'alan', refusal },
    ]),
  );
  const { user } = await showUsers('/panel/user');
  await screen.findByText('grace');
  const [all] = screen.getAllByRole('checkbox');
  if (all === undefined) throw new Error('the table has no checkboxes');
  await user.click(all);
  await user.click(screen.getByRole('button', { name: 'Adjust balance' }));
  const dialog = await screen.findByRole('dialog', { name: 'Balance of 2 users' });
  await user.click(within(dialog).getByRole('button', { name: 'Deduct', pressed: false }));
  await user.type(within(dialog).getByLabelText('Amount'), '3');
  await user.type(within(dialog).getByLabelText('Remark'), 'a fee');
  await user.keyboard('{Enter}');
  const refused = await screen.findByRole('dialog', { name: '1 user was not changed' });
  expect(within(refused).getByRole('listitem').textContent).toMatch(/^alan: not enough/);
  expect(screen.getByText('1 user changed')).toBeTruthy();
  expect(changes[0]?.body).toEqual({ ids: [7, 8], quota: -1_500_000, remark: 'a fee' });
});

it('requests users with a low balance who were not seen for a long time', async () => {
  const calls = script('get', '/api/user/', () => succeed(wirePage([wireUser(7, 'grace')])));
  await showUsers('/panel/user?balance_max=0.5&seen=never&alarmed=true');
  await screen.findByText('grace');
  expect(Object.fromEntries(calls[0]?.url.searchParams ?? [])).toMatchObject({
    balance_max: '250000',
    seen_before: '1',
    alarmed: 'true',
  });
});
