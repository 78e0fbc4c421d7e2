import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import { wireChannel, wireProviders, wireTag } from '../channels.samples.ts';
import { ChannelsPage } from './channels-page.tsx';

const page = <ChannelsPage />;
const listed = [
  wireChannel(1, { priority: 5 }),
  wireChannel(2, { priority: 4 }),
  wireChannel(3, { priority: 4 }),
  wireChannel(4, { priority: 0 }),
];
const ranks = [
  { priority: 5, ids: [1] },
  { priority: 4, ids: [3, 2] },
  { priority: 0, ids: [4] },
];
const edited = (before: object[]) =>
  succeed({ matched: before.length, changed: before.length, refused_count: 0, refused: [], before });

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  // jsdom does not implement scrolling.
  Element.prototype.scrollIntoView = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/provider', () => succeed(wireProviders));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/channel/tags', () => succeed([wireTag('eu')]));
  script('get', '/api/channel/', () => succeed(wirePage(listed)));
  script('get', '/api/channel/ranks', () => succeed(ranks));
});

const handleOf = (id: number) =>
  screen.findByRole('button', { name: new RegExp(`Move .*channel ${id}.* to another priority`) });

it('moves a row by keyboard between two priorities, announces its position and undoes it', async () => {
  const edits = script('post', '/api/channel/edit', () =>
    edited([
      { id: 1, status: 1, priority: 5 },
      { id: 4, status: 1, priority: 0 },
    ]),
  );
  const { user } = show(page, '/panel/channel');
  (await handleOf(4)).focus();
  await user.keyboard(' ');
  expect(screen.getByText(/Picked up .*\. Use the arrow keys/)).toBeTruthy();
  await user.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}');
  expect(screen.getAllByText('Between 5 and 4').length).toBeGreaterThan(0);
  await user.keyboard(' ');
  await screen.findByText(/channel 4.* has priority 5\. 1 other moved to make room\./);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(edits.map(({ body }) => body)).toEqual([
      { where: { ids: [1, 4] }, change: { priorities: { 1: 6, 4: 5 } } },
      { where: { ids: [1, 4] }, change: { priorities: { 1: 5, 4: 0 } } },
    ]),
  );
});

it('leaves the row in place on Escape, on its own position and when the handle loses focus', async () => {
  const edits = script('post', '/api/channel/edit', () => edited([]));
  const { user } = show(page, '/panel/channel');
  (await handleOf(2)).focus();
  await user.keyboard(' {ArrowUp}{Escape}');
  expect(screen.getByText(/channel 2.* was not moved/)).toBeTruthy();
  await user.keyboard(' {ArrowUp}{ArrowDown} ');
  await screen.findByText(/channel 2.* was not moved/);
  await user.keyboard(' {ArrowUp}{Tab}');
  expect(screen.getByText(/channel 2.* was not moved/)).toBeTruthy();
  expect(edits).toEqual([]);
});

it('shows handles in an unfiltered list sorted by priority', async () => {
  show(page, '/panel/channel');
  expect(await handleOf(1)).toBeTruthy();
});

it.each(['?order=name', '?order=priority', '?keyword=x', '?tag=eu'])(
  'shows no handles in a list that is sorted or filtered otherwise: %s',
  async (search) => {
    show(page, `/panel/channel${search}`);
    await screen.findByText('channel 1');
    expect(screen.queryByRole('button', { name: /to another priority/ })).toBeNull();
  },
);
