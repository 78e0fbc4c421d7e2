import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { StaffRolesPage } from './staff-roles-page.tsx';

const support = { id: 1, name: 'Support', permissions: ['users.read'], members: 2 };

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/staff_role/', () => succeed([support, { ...support, id: 2, name: 'Spare', members: 0 }]));
});

it('creates a role with the chosen permissions', async () => {
  const created = script('post', '/api/staff_role/', () => succeed({ ...support, id: 3 }));
  const { user, search } = show(<StaffRolesPage />, '/panel/staff_role?edit=new');
  const drawer = await screen.findByRole('dialog', { name: 'New role' });
  await user.type(within(drawer).getByLabelText('Name'), 'Accounting');
  await user.click(within(drawer).getByRole('checkbox', { name: 'Adjust balances' }));
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(created[0]?.body).toEqual({ name: 'Accounting', permissions: ['balances.write'] });
});

it('deletes a role only while no user has it', async () => {
  const removed = script('delete', '/api/staff_role/2', () => succeed(null));
  const { user } = show(<StaffRolesPage />, '/panel/staff_role');
  const taken = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete Support' });
  expect(taken.disabled).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Delete Spare' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
});
