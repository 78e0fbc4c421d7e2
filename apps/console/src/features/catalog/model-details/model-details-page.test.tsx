import type { DescribedModel } from '@switchyard/contract/catalog/model-details';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { ModelDetailsPage } from './model-details-page.tsx';

const page = <ModelDetailsPage />;

const models: DescribedModel[] = [
  {
    model: 'alpha',
    offered: true,
    listed: { context_length: 128_000, input: ['text', 'image'], output: ['text'] },
    own: { name: 'First', tags: ['quick'], context_length: 64_000 },
  },
  { model: 'beta', offered: false, listed: { context_length: 8_000, output_max: 4_000 }, own: null },
  { model: 'gamma', offered: true, listed: null, own: { name: 'Third', description: 'Only here' } },
  { model: 'delta', offered: true, listed: null, own: null },
];

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/model_info', () => succeed(models));
});

const shownModels = () =>
  screen.getAllByRole('row').flatMap((row) => {
    const cell = row.querySelector('td bdi');
    return cell === null ? [] : [cell.textContent];
  });

it('shows the metadata in effect and its source for each model', async () => {
  show(page, '/panel/model_info');
  const first = within((await screen.findByText('alpha')).closest('tr') ?? document.body);
  for (const text of ['First', '64K', 'text, images', 'quick', 'List and manual'])
    expect(first.getByText(text)).toBeTruthy();
  for (const text of ['List', 'Manual', 'No information']) expect(screen.getByText(text)).toBeTruthy();
});

it('searches all texts, and filters and sorts by the URL', async () => {
  const { user, search } = show(page, '/panel/model_info?offered=true&order=-model');
  await screen.findByText('alpha');
  expect(shownModels()).toEqual(['gamma', 'delta', 'alpha']);
  await user.type(screen.getByRole('searchbox'), 'only HERE');
  await waitFor(() => expect(shownModels()).toEqual(['gamma']));
  expect(search()).toMatchObject({ keyword: 'only HERE', offered: 'true' });
});

it('describes a model, keeps the lists’ values for empty fields and shows them', async () => {
  const created = script('post', '/api/model_info', () => succeed({ model: 'beta', name: 'Second' }));
  const { user, search } = show(page, '/panel/model_info?show=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'Add details' }));
  await user.type(drawer.getByLabelText('Model'), 'beta');
  expect(await drawer.findByText('From the lists: 8,000 tokens')).toBeTruthy();
  await user.type(drawer.getByLabelText('Name'), 'Second');
  await user.type(drawer.getByLabelText('Max output'), '2000');
  await user.click(drawer.getByRole('checkbox', { name: 'tools' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(created[0]?.body).toEqual({ model: 'beta', name: 'Second', output_max: 2000, capabilities: ['tools'] });
});

it('replaces existing metadata instead of adding it again', async () => {
  const updated = script('put', '/api/model_info/alpha', () => succeed({ model: 'alpha', name: 'New' }));
  const { user } = show(page, '/panel/model_info');
  await user.click(await screen.findByText('alpha'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Model details' }));
  await user.clear(await drawer.findByLabelText('Context'));
  expect(await drawer.findByText('From the lists: 128,000 tokens')).toBeTruthy();
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(updated[0]?.body).toEqual({ name: 'First', tags: ['quick'] }));
});

it('shows errors at their fields before and after sending', async () => {
  script('post', '/api/model_info', () =>
    refuse('already-exists', 409, { fields: [{ path: 'model', rule: 'already-exists', message: '' }] }),
  );
  const { user } = show(page, '/panel/model_info?show=new');
  const drawer = within(await screen.findByRole('dialog', { name: 'Add details' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Required')).toBeTruthy();
  await user.type(drawer.getByLabelText('Model'), 'alpha');
  await user.type(drawer.getByLabelText('Context'), '0');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('At least 1')).toBeTruthy();
  await user.type(drawer.getByLabelText('Context'), '9');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Already taken')).toBeTruthy();
});

it('deletes manual metadata and says that the lists’ values apply again', async () => {
  const removed = script('delete', '/api/model_info/alpha', () => succeed(null));
  const { user } = show(page, '/panel/model_info');
  const first = within((await screen.findByText('alpha')).closest('tr') ?? document.body);
  await user.click(first.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText('The values from the lists apply again.')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
});

it('previews an import, shows errors by position and imports only entries that change something', async () => {
  const read = script('post', '/api/model_info/read', () =>
    succeed({
      entries: [
        { detail: { model: 'fresh', name: 'Fresh' }, state: 'new' },
        { detail: { model: 'alpha', name: 'Other' }, state: 'other' },
        { detail: { model: 'gamma', name: 'Third' }, state: 'same' },
      ],
      problems: [{ index: 3, model: 'bad', path: 'context_length', rule: 'too_small', message: '' }],
    }),
  );
  const brought = script('post', '/api/model_info/import', () => succeed({ created: 1, overwritten: 1, skipped: 0 }));
  const { user } = show(page, '/panel/model_info?show=import');
  const dialog = within(await screen.findByRole('dialog', { name: 'Import model details' }));
  await user.click(dialog.getByRole('button', { name: 'URL' }));
  await user.type(dialog.getByLabelText('List URL'), 'https://list.example/a.json');
  await user.click(dialog.getByRole('button', { name: 'Preview' }));
  expect(await dialog.findByText(/Entry 4/)).toBeTruthy();
  expect(dialog.getByText('New 1 · Skipped 1 · No change 1')).toBeTruthy();
  expect(dialog.getByRole('button', { name: 'Import 1 model' })).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Overwrite' }));
  await user.click(dialog.getByRole('button', { name: 'Import 2 models' }));
  await screen.findByText('2 models imported');
  expect(read[0]?.body).toEqual({ from: 'url', url: 'https://list.example/a.json' });
  expect(brought[0]?.body).toEqual({
    details: [
      { model: 'fresh', name: 'Fresh' },
      { model: 'alpha', name: 'Other' },
    ],
    known: 'overwrite',
  });
});

it('explains why a list could not be read', async () => {
  script('post', '/api/model_info/read', () =>
    refuse('invalid-input', 400, { fields: [{ path: 'text', rule: 'bad-json', message: '' }] }),
  );
  const { user } = show(page, '/panel/model_info?show=import');
  const dialog = within(await screen.findByRole('dialog', { name: 'Import model details' }));
  await user.type(dialog.getByLabelText('JSON'), 'x');
  await user.click(dialog.getByRole('button', { name: 'Preview' }));
  expect(await dialog.findByText('This is not valid JSON')).toBeTruthy();
});

it('shows no editing controls without the right to write prices', async () => {
  script('get', '/api/user/self', () => succeed({ ...wireSelfOf('staff'), rights: ['user', 'prices.read'] }));
  const { user } = show(page, '/panel/model_info');
  await user.click(await screen.findByText('alpha'));
  expect(screen.queryByRole('dialog')).toBeNull();
  for (const name of ['Add details', 'Import', 'More']) expect(screen.queryByRole('button', { name })).toBeNull();
});
