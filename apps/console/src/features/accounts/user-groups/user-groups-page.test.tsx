import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from './user-groups.samples.ts';
import { UserGroupsPage } from './user-groups-page.tsx';

const page = <UserGroupsPage />;

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/status', () => succeed(wireSite));
});

it('requests the name and the status of the URL', async () => {
  const calls = script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(2, 'vip')])));
  show(page, '/panel/user_group?keyword=vi&status=disabled');
  await screen.findAllByText('vip');
  expect(Object.fromEntries(calls[0]?.url.searchParams ?? [])).toMatchObject({ name: 'vi', enable: 'false' });
});

it('creates a group and explains its ratio', async () => {
  script('get', '/api/user_group/', () => succeed(wirePage([])));
  const created = script('post', '/api/user_group/', () => succeed(wireGroup(3, 'batch')));
  const { user, search } = show(page, '/panel/user_group?edit=new');
  const drawer = await screen.findByRole('dialog', { name: 'New group' });
  await user.type(await within(drawer).findByLabelText('Identifier'), 'batch');
  await user.type(within(drawer).getByLabelText('Name'), 'Nightly batch');
  const ratio = within(drawer).getByLabelText('Price ratio');
  await user.clear(ratio);
  await user.type(ratio, '0.5');
  expect(within(drawer).getByText('A call with a list price of $1.00 costs $0.50.')).toBeTruthy();
  await user.click(within(drawer).getByRole('combobox', { name: 'Load balancing' }));
  await user.click(await screen.findByRole('option', { name: 'Cheapest first' }));
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(created[0]?.body).toEqual({
    symbol: 'batch',
    name: 'Nightly batch',
    ratio: 0.5,
    api_rate: 600,
    tpm: 0,
    public: false,
    order: 'cost',
    promotion: false,
    min: 0,
    max: 0,
  });
});

it('sends only the changed values of a group', async () => {
  script('get', '/api/user_group/', () => succeed(wirePage([])));
  script('get', '/api/user_group/2', () => succeed(wireGroup(2, 'vip', { name: 'VIP' })));
  const updates = script('put', '/api/user_group/', () => succeed(wireGroup(2, 'vip')));
  const { user } = show(page, '/panel/user_group?edit=2');
  const name = await screen.findByLabelText('Name');
  expect(screen.queryByLabelText('Identifier')).toBeNull();
  await user.type(name, ' customers');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ id: 2, name: 'VIP customers' });
});

it('assigns a group by total top-ups and rejects a range that ends before it starts', async () => {
  script('get', '/api/user_group/', () => succeed(wirePage([])));
  script('get', '/api/user_group/2', () => succeed(wireGroup(2, 'vip')));
  const updates = script('put', '/api/user_group/', () => succeed(wireGroup(2, 'vip')));
  const { user } = show(page, '/panel/user_group?edit=2');
  await user.click(await screen.findByRole('switch', { name: 'Assign by total top-ups' }));
  const from = screen.getByLabelText('Min total');
  const upTo = screen.getByLabelText('Max total');
  await user.clear(from);
  await user.type(from, '100');
  await user.clear(upTo);
  await user.type(upTo, '50');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Invalid value')).toBeTruthy();
  expect(updates).toEqual([]);
  await user.type(upTo, '0');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toMatchObject({ promotion: true, min: 100, max: 500 });
});

it('disables a group and undoes it, but never the default group', async () => {
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default'), wireGroup(2, 'vip')])));
  const toggles = script('put', '/api/user_group/enable/2', () => succeed(wireGroup(2, 'vip')));
  const { user } = show(page, '/panel/user_group');
  await screen.findAllByText('vip');
  const [first, second] = screen.getAllByRole('button', { name: 'More' });
  if (first === undefined || second === undefined) throw new Error('no rows');
  await user.click(first);
  await screen.findByRole('menuitem', { name: 'Edit' });
  expect(screen.queryByRole('menuitem', { name: 'Disable' })).toBeNull();
  await user.keyboard('{Escape}');
  await user.click(second);
  await user.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await screen.findByText('vip disabled');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(toggles).toHaveLength(2));
});

it('explains why the server keeps a group that is in use', async () => {
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(2, 'vip')])));
  const message = 'The group vip is used by 2 users';
  script('delete', '/api/user_group/2', () => refuse('conflict', 409, { message }));
  const { user } = show(page, '/panel/user_group');
  await screen.findAllByText('vip');
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete “vip”?' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole('alertdialog')).toBeTruthy();
});

it('offers no changes to read-only users', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['groups.read'])));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(2, 'vip')])));
  show(page, '/panel/user_group?edit=new');
  await screen.findAllByText('vip');
  expect(screen.queryByRole('button', { name: 'New group' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'More' })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
});
