import type { channelKey } from '@switchyard/contract/channels/channel-keys';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { wireChannel, wireProviders } from '../channels.samples.ts';
import { ChannelsPage } from '../list/channels-page.tsx';

type WireKey = z.input<typeof channelKey>;

const wireKey = (hint: string, more: Partial<WireKey> = {}): WireKey => ({
  id: `id-of-key-${hint}`.padEnd(16, '_'),
  hint,
  status: 1,
  reason: '',
  since: 0,
  rests_until: 0,
  ...more,
});

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/provider', () => succeed(wireProviders));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/channel/', () => succeed(wirePage([])));
  script('get', '/api/channel/4', () => succeed(wireChannel(4, { key_count: 3, keys_out: 1 })));
  script('get', '/api/channel/4/health', () => succeed({ models: [], events: [] }));
});

async function showKeys(wireKeys: () => WireKey[]) {
  script('get', '/api/channel/4/keys', () => succeed(wireKeys()));
  const { user } = show(<ChannelsPage />, '/panel/channel?open=4');
  const section = await screen.findByRole('region', { name: 'Keys' });
  const rows = await within(section).findAllByRole('listitem');
  const choose = async (nth: number, entry: string) => {
    const row = rows[nth];
    if (row === undefined) throw new Error('no such row');
    await user.click(within(row).getByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitem', { name: entry }));
  };
  return { user, section, rows, choose };
}

it('shows the status of each key and why one was auto-disabled', async () => {
  const { rows } = await showKeys(() => [
    wireKey('aaaa'),
    wireKey('bbbb', { status: 3, reason: 'unauthorised (HTTP 401)', since: 1_700_000_000 }),
    wireKey('cccc', { rests_until: 1_700_000_000 }),
  ]);
  expect(screen.getByText('2 of 3 keys enabled')).toBeTruthy();
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringContaining('Enabled'),
    expect.stringMatching(/Auto-disabled.*HTTP 401/),
    expect.stringContaining('In cooldown'),
  ]);
});

it('disables a key and shows that at once', async () => {
  const keys = [wireKey('aaaa'), wireKey('bbbb')];
  const calls = script('put', `/api/channel/4/keys/${keys[0]?.id}`, () => {
    keys[0] = wireKey('aaaa', { status: 2 });
    return succeed(keys[0]);
  });
  const { section, choose } = await showKeys(() => keys);
  await choose(0, 'Disable');
  expect(await within(section).findByText('Disabled')).toBeTruthy();
  await waitFor(() => expect(calls.map(({ body }) => body)).toEqual([{ in_use: false }]));
});

it('offers neither to delete nor to disable the last enabled key', async () => {
  const { user, rows } = await showKeys(() => [wireKey('aaaa'), wireKey('bbbb', { status: 2 })]);
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  await user.click(within(row).getByRole('button', { name: 'More' }));
  const entries = await screen.findAllByRole('menuitem');
  expect(entries.map((entry) => entry.textContent)).toEqual(['Test']);
});

it('tests one key', async () => {
  const key = wireKey('bbbb');
  const tests = script('post', `/api/channel/4/keys/${key.id}/test`, () =>
    succeed({ success: true, duration: 120, model: 'gpt-5', problem: null, message: '' }),
  );
  const { section, choose } = await showKeys(() => [wireKey('aaaa'), key]);
  await choose(1, 'Test');
  expect(await within(section).findByText('120 ms')).toBeTruthy();
  expect(tests).toHaveLength(1);
});

it('adds pasted keys', async () => {
  const keys = [wireKey('aaaa'), wireKey('bbbb')];
  const added = script('post', '/api/channel/4/keys', () => succeed([...keys, wireKey('cccc')]));
  const { user, section } = await showKeys(() => keys);
  await user.click(within(section).getByRole('button', { name: 'Add keys' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add keys' });
  await user.type(within(dialog).getByLabelText('Key'), 'sk-one{Enter}sk-two');
  await user.click(within(dialog).getByRole('button', { name: 'Add keys' }));
  await screen.findByText('The channel has 3 keys');
  expect(added.map(({ body }) => body)).toEqual([{ key: 'sk-one\nsk-two' }]);
});

it('deletes a key after a confirmation', async () => {
  const keys = [wireKey('aaaa'), wireKey('bbbb')];
  const removed = script('delete', `/api/channel/4/keys/${keys[1]?.id}`, () => succeed(null));
  const { user, choose } = await showKeys(() => keys);
  await choose(1, 'Delete');
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
});
