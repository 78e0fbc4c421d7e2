import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireApiKey, wirePage, wireSite } from '../../../testing/wire-samples.ts';
import { ApiKeysPage } from './api-keys-page.tsx';

const page = <ApiKeysPage />;

beforeEach(() => {
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/models', () => succeed(['gpt-5-mini']));
  script('get', '/api/status', () => succeed(wireSite));
});

it('requests the page, order and filters of the URL', async () => {
  const calls = script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1)], 90)));
  show(page, '/panel/token?page=2&size=20&order=-used_quota&keyword=ci&status=disabled');
  await screen.findByText('key 1');
  const query = Object.fromEntries(calls[0]?.url.searchParams ?? []);
  expect(query).toEqual({ page: '2', size: '20', order: '-used_quota', keyword: 'ci', status: '2' });
});

it('keeps order and filter in the URL and returns to page one', async () => {
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1)], 200)));
  const { user, search } = show(page, '/panel/token?page=2');
  await screen.findByText('key 1');
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(search()).toEqual({ order: 'name' }));
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
  await user.type(screen.getByRole('searchbox'), 'prod{Enter}');
  await waitFor(() => expect(search()).toEqual({ order: 'name', keyword: 'prod' }));
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(search()).toEqual({ order: 'name' }));
});

it('shows the next step when there are no tokens', async () => {
  script('get', '/api/token/', () => succeed(wirePage([])));
  const { user, search } = show(page, '/panel/token');
  const empty = await screen.findByText(/You have no tokens yet/);
  await user.click(within(empty.parentElement ?? document.body).getByRole('button', { name: 'New token' }));
  await waitFor(() => expect(search()).toEqual({ edit: 'new' }));
});

it('shows a new key once with a sample call', async () => {
  script('get', '/api/token/', () => succeed(wirePage([])));
  const created = script('post', '/api/token/', () => succeed(wireApiKey(5, { key: 'sk-the-whole-key' })));
  const { user } = show(page, '/panel/token?edit=new');
  const drawer = await screen.findByRole('dialog', { name: 'New token' });
  await user.type(within(drawer).getByLabelText('Name'), 'ci');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Your new key' });
  expect(within(dialog).getByText('sk-the-whole-key')).toBeTruthy();
  expect(within(dialog).getByText(/curl https:\/\/ai\.example\.com\/v1/)).toBeTruthy();
  expect(created[0]?.body).toMatchObject({ name: 'ci', expired_time: -1, unlimited_quota: true });
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByText('sk-the-whole-key')).toBeNull());
});

it('rejects an empty name before sending and shows a server error at its field', async () => {
  script('get', '/api/token/', () => succeed(wirePage([])));
  const created = script('post', '/api/token/', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'name', rule: 'already-exists', message: 'taken' }] }),
  );
  const { user } = show(page, '/panel/token?edit=new');
  const drawer = await screen.findByRole('dialog', { name: 'New token' });
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findByText('Required')).toBeTruthy();
  expect(created).toEqual([]);
  await user.type(within(drawer).getByLabelText('Name'), 'ci');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findByText('Already taken')).toBeTruthy();
});

it('asks for the password before it reveals a key, and then retries', async () => {
  let confirmed = false;
  script('get', '/api/token/', () => succeed(wirePage([])));
  script('get', '/api/token/3', () => succeed(wireApiKey(3)));
  script('post', '/api/token/3/key', () => (confirmed ? succeed('sk-revealed') : refuse('step-up-required', 403)));
  const passwords = scriptConfirmation(() => {
    confirmed = true;
  });
  const { user } = show(page, '/panel/token?open=3');
  await user.click(await screen.findByRole('button', { name: 'Show' }));
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('sk-revealed')).toBeTruthy();
  expect(passwords[0]?.body).toEqual({ password: 'correct horse' });
});

it('does not offer to show or copy a key that can be shown only once', async () => {
  script('get', '/api/token/', () => succeed(wirePage([])));
  script('get', '/api/token/3', () => succeed(wireApiKey(3, { revealable: false })));
  show(page, '/panel/token?open=3');
  expect(await screen.findByText(/was shown only once/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Copy key' })).toBeNull();
});

it('disables the selected tokens and undoes it', async () => {
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1), wireApiKey(2), wireApiKey(3)])));
  const updates = script('put', '/api/token/', () => succeed(wireApiKey(1)));
  const { user } = show(page, '/panel/token');
  await screen.findByText('key 1');
  const [first, second] = screen.getAllByRole('checkbox', { name: 'Select row' });
  if (first === undefined || second === undefined) throw new Error('no rows');
  await user.click(first);
  await user.click(second);
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Disable' }));
  await screen.findByText('2 tokens disabled');
  expect(updates.map(({ body }) => body)).toEqual([
    { id: 1, status: 2 },
    { id: 2, status: 2 },
  ]);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(updates.slice(2).map(({ body }) => body)).toEqual([
      { id: 1, status: 1 },
      { id: 2, status: 1 },
    ]),
  );
});

it('deletes several tokens only after their number is typed', async () => {
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1), wireApiKey(2)])));
  const removed = [1, 2].map((id) => script('delete', `/api/token/${id}`, () => succeed(null)));
  const { user } = show(page, '/panel/token');
  await screen.findByText('key 1');
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog');
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  expect(button.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), '2');
  await user.click(button);
  await screen.findByText('2 tokens deleted');
  expect(removed.map((calls) => calls.length)).toEqual([1, 1]);
});

it('shows an error with its request id and a retry button', async () => {
  let broken = true;
  script('get', '/api/token/', () =>
    broken ? refuse('internal', 500, { request_id: 'req-17' }) : succeed(wirePage([wireApiKey(1)])),
  );
  const { user } = show(page, '/panel/token');
  expect(await screen.findByText(/req-17/)).toBeTruthy();
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('key 1')).toBeTruthy();
});
