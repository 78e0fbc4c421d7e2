import type { BellNotification } from '@switchyard/contract/operations/bell';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { NotificationBell } from './panel-top-bar.tsx';

const notice = (kind: BellNotification['kind'], more: Partial<BellNotification> = {}): BellNotification => ({
  kind,
  mark: `mark of ${kind}`,
  seen: false,
  count: 1,
  names: [],
  since: null,
  ...more,
});

beforeEach(() => {
  localStorage.clear();
  script('get', '/api/notice', () => succeed(''));
});

const open = async (user: ReturnType<typeof show>['user'], name: string | RegExp) => {
  await user.click(await screen.findByRole('button', { name }));
  return screen.findByRole('dialog', { name: 'Notifications' });
};

it('counts the notifications that are not dismissed and links to where each can be fixed', async () => {
  script('get', '/api/notices', () =>
    succeed([
      notice('channels-disabled', { count: 5, names: ['one', 'two', 'three'] }),
      notice('jobs-failed', { names: ['check-version'] }),
      notice('low-balance', { seen: true }),
    ]),
  );
  const { user } = show(<NotificationBell />);
  const panel = await open(user, '2 notifications');
  const [channels, jobs] = within(panel).getAllByRole('listitem');
  expect(channels?.textContent).toContain('5 channels were disabled automatically');
  expect(channels?.textContent).toMatch(/one, two, three.*and 2 more/);
  expect(within(panel).getByRole('link', { name: 'Channels' }).getAttribute('href')).toBe(
    '/panel/channel?status=auto-disabled',
  );
  expect(jobs?.textContent).not.toContain('check-version');
  expect(within(panel).queryByText('Your balance is low')).toBeNull();
});

it('isolates a right-to-left name from the rest of the list', async () => {
  const names = ['\u202Eone', 'קדם', 'two'];
  script('get', '/api/notices', () => succeed([notice('channels-disabled', { count: 3, names })]));
  const { user } = show(<NotificationBell />);
  const panel = await open(user, '1 notification');
  expect(panel.textContent).toContain('one, \u2068קדם\u2069, two');
});

it('dismisses a notification at once and shows it again when the call failed', async () => {
  let seen = false;
  script('get', '/api/notices', () => succeed([notice('mail-failed', { seen })]));
  const sent = script('post', '/api/notices/seen', () => {
    if (sent.length === 1) return refuse('unavailable', 503);
    seen = true;
    return succeed(null);
  });
  const { user } = show(<NotificationBell />);
  const panel = await open(user, '1 notification');
  const dismiss = { name: 'Dismiss: An email could not be sent' };
  await user.click(within(panel).getByRole('button', dismiss));
  await user.click(await within(panel).findByRole('button', dismiss));
  expect(await within(panel).findByText('Nothing needs your attention.')).toBeTruthy();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toEqual([{ kind: 'mail-failed', mark: 'mark of mail-failed' }]);
});

it('opens a new announcement once and counts it as read when it is closed', async () => {
  script('get', '/api/notice', () => succeed('Closed on *Sunday*'));
  let seen = false;
  script('get', '/api/notices', () => succeed([notice('announcement', { seen })]));
  const sent = script('post', '/api/notices/seen', () => {
    seen = true;
    return succeed(null);
  });
  const { user } = show(<NotificationBell />);
  const dialog = await screen.findByRole('dialog', { name: 'Announcement' });
  expect(await within(dialog).findByText('Sunday')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  const panel = await open(user, 'Notifications');
  await user.click(within(panel).getByRole('button', { name: 'Read the announcement' }));
  expect(await screen.findByRole('dialog', { name: 'Announcement' })).toBeTruthy();
});
