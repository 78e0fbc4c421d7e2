import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import { ICON_MAX_BYTES } from '@switchyard/contract/catalog/model-owners';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { ModelOwnersPage } from './model-owners-page.tsx';

const page = <ModelOwnersPage />;
const owners: ModelOwner[] = [
  { id: 1, name: 'OpenAI', icon: 'openai', built_in: true, prices: 60 },
  { id: 5001, name: 'Our lab', icon: '', built_in: false, prices: 2 },
];
const pngBytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/model_ownedby', () => succeed(owners));
});

it('lists built-in owners as read-only beside the added ones', async () => {
  const { user, search } = show(page, '/panel/model_ownedby');
  const shipped = within((await screen.findByText('OpenAI')).closest('tr') ?? document.body);
  expect(shipped.getByText('Built-in')).toBeTruthy();
  expect(shipped.queryByRole('button', { name: 'More' })).toBeNull();
  await user.click(screen.getByText('OpenAI'));
  expect(search()).toEqual({});
  await user.click(screen.getByText('Our lab'));
  expect(await screen.findByRole('dialog', { name: 'Edit owner' })).toBeTruthy();
  expect(screen.queryByLabelText('ID')).toBeNull();
});

it('adds an owner with a shipped logo', async () => {
  const created = script('post', '/api/model_ownedby', () =>
    succeed({ id: 100_001, name: 'Lab', icon: 'qwen', built_in: false, prices: 0 }),
  );
  const { user, search } = show(page, '/panel/model_ownedby?edit=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'New owner' }));
  expect(drawer.getByLabelText<HTMLInputElement>('ID').value).toBe('100001');
  await user.type(drawer.getByLabelText('Name'), 'Lab');
  await user.type(drawer.getByLabelText('Icon'), 'qwe');
  await user.click(await screen.findByRole('option', { name: 'qwen' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(created[0]?.body).toEqual({ id: 100_001, name: 'Lab', icon: 'qwen' });
});

it('shows an uploaded picture before saving and stores it with the owner', async () => {
  const updated = script('put', '/api/model_ownedby/5001', () => succeed(owners[1]));
  const { user } = show(page, '/panel/model_ownedby?edit=5001');
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit owner' }));
  await user.upload(
    drawer.getByLabelText('Upload an image', { selector: 'input' }),
    new File([pngBytes], 'lab.png', { type: 'image/png' }),
  );
  const preview = drawer.getByRole('img', { name: 'Preview' });
  const source = 'data:image/png;base64,iVBORw0KGgoAAAAN';
  await waitFor(() => expect(preview.querySelector('img')?.getAttribute('src')).toBe(source));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(updated[0]?.body).toEqual({ name: 'Our lab', icon: source }));
});

it('rejects a large picture and a reserved id at their fields', async () => {
  const { user } = show(page, '/panel/model_ownedby?edit=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'New owner' }));
  const large = new File([new Uint8Array(ICON_MAX_BYTES + 1)], 'large.png', { type: 'image/png' });
  await user.upload(drawer.getByLabelText('Upload an image', { selector: 'input' }), large);
  expect(await drawer.findByText('The image is larger than 16 kB')).toBeTruthy();
  await user.clear(drawer.getByLabelText('ID'));
  await user.type(drawer.getByLabelText('ID'), '1000');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('At least 1,001')).toBeTruthy();
});

it('shows at its field that a name is already taken', async () => {
  script('put', '/api/model_ownedby/5001', () =>
    refuse('already-exists', 409, { fields: [{ path: 'name', rule: 'already-exists', message: '' }] }),
  );
  const { user } = show(page, '/panel/model_ownedby?edit=5001');
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit owner' }));
  await user.type(drawer.getByLabelText('Name'), '2');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Already taken')).toBeTruthy();
});

it('shows how many prices name an owner before deleting it', async () => {
  const removed = script('delete', '/api/model_ownedby/5001', () => succeed(null));
  const { user } = show(page, '/panel/model_ownedby');
  const own = within((await screen.findByText('Our lab')).closest('tr') ?? document.body);
  await user.click(own.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText('2 prices use it. The prices stay, but no longer show an owner.')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
});
