import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { wireChannel, wireProviders, wireTag } from '../channels.samples.ts';
import { ChannelsPage } from '../list/channels-page.tsx';

const page = <ChannelsPage />;
const result = (more: object = {}) => ({ matched: 2, changed: 2, refused_count: 0, refused: [], before: [], ...more });

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/provider', () => succeed(wireProviders));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/channel/tags', () => succeed([wireTag('eu')]));
  script('get', '/api/channel/', () => succeed({ ...wirePage([wireChannel(1), wireChannel(2)]), total_count: 40 }));
});

async function openEditor() {
  const { user } = show(page, '/panel/channel?tag=eu');
  await screen.findByText('channel 1');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows' }));
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Edit' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit channels' });
  const add = async (field: string) => {
    await user.click(within(dialog).getByRole('combobox', { name: 'Field to change' }));
    await user.click(await screen.findByRole('option', { name: field }));
  };
  return { user, dialog, add };
}

it('previews a change and then edits the selected channels', async () => {
  const edits = script('post', '/api/channel/edit', () => succeed(result()));
  const { user, dialog, add } = await openEditor();
  await add('Priority');
  const field = within(dialog).getByRole('textbox', { name: 'Priority' });
  await user.clear(field);
  await user.type(field, '7');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  await within(dialog).findByText('2 of 2 channels would change.');
  await user.click(within(dialog).getByRole('button', { name: 'Change 2 channels' }));
  await screen.findByText('2 channels changed');
  const body = { where: { ids: [1, 2] }, change: { priority: 7 } };
  expect(edits.map((call) => call.body)).toEqual([{ ...body, dry_run: true }, body]);
});

it('edits all matching channels and shows those that refuse, with the reason', async () => {
  const refused = [{ id: 2, name: 'channel 2', path: 'key', rule: 'needed-again', message: 'Enter it again' }];
  const edits = script('post', '/api/channel/edit', () => succeed(result({ refused, refused_count: 1 })));
  const { user, dialog, add } = await openEditor();
  await user.click(within(dialog).getByRole('radio', { name: 'All 40 that match the filter' }));
  await add('Tag');
  await user.type(within(dialog).getByRole('textbox', { name: 'Tag' }), 'new');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  await within(dialog).findByText(/Key: Enter this value again/);
  expect(edits[0]?.body).toMatchObject({ where: { filter: { tag: 'eu' } }, change: { tag: 'new' } });
});

it('requires a new preview after a change of the values', async () => {
  script('post', '/api/channel/edit', () => succeed(result()));
  const { user, dialog, add } = await openEditor();
  await add('Tag');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  await within(dialog).findByRole('button', { name: 'Change 2 channels' });
  await user.type(within(dialog).getByRole('textbox', { name: 'Tag' }), 'x');
  expect(within(dialog).getByRole('button', { name: 'Check' })).toBeTruthy();
});

it('undoes a change of the status except for auto-disabled channels', async () => {
  const before = [
    { id: 1, status: 1, priority: 0 },
    { id: 2, status: 3, priority: 0 },
  ];
  const edits = script('post', '/api/channel/edit', () => succeed(result({ before })));
  const { user } = show(page, '/panel/channel');
  await screen.findByText('channel 1');
  const [menu] = screen.getAllByRole('button', { name: 'More' });
  if (menu === undefined) throw new Error('no menu');
  await user.click(menu);
  await user.click(await screen.findByRole('menuitem', { name: 'Tags' }));
  const dialog = await screen.findByRole('dialog', { name: 'Tags' });
  await user.click(await within(dialog).findByRole('button', { name: 'Actions for eu' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(edits.map((call) => call.body)).toEqual([
      { where: { filter: { tag: 'eu' } }, change: { status: 2 } },
      { where: { ids: [1] }, change: { status: 1 } },
    ]),
  );
});
