import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { DeliveryAttemptList } from './delivery-attempt-list.tsx';
import { NotificationTargetList } from './notification-target-list.tsx';

const now = Math.floor(Date.now() / 1000);
const destination = {
  id: 4,
  type: 'slack',
  name: 'Team',
  events: ['low-balance'],
  enabled: true,
  off_reason: '',
  failing_since: null,
  created_time: now,
  hints: { address: 'https://hooks.slack.com/…abcd' },
};
const delivery = {
  id: 7,
  event: 'low-balance',
  title: 'Your balance is running low',
  type: 'slack',
  destination: 'Team',
  username: 'ann',
  state: 'failed',
  tries: 3,
  created_time: now - 60,
  next_try_time: null,
  ended_time: now,
  last_answer: '404 no_service',
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('user')));
  script('get', '/api/user/destinations', () => succeed([destination]));
});

it('adds a webhook with a generated secret and shows a server error at its field', async () => {
  let refused = false;
  const made = script('post', '/api/user/destinations', () => {
    if (refused) return succeed({ ...destination, id: 5 });
    refused = true;
    return refuse('invalid-input', 400, {
      fields: [{ path: 'config.address', rule: 'required', message: 'This field is required' }],
    });
  });
  const { user } = show(<NotificationTargetList owner="own" />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Add notification channel' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'New notification channel' }));
  await user.click(await drawer.findByRole('checkbox', { name: 'Low balance' }));
  expect(drawer.queryByRole('checkbox', { name: 'Channel disabled' })).toBeNull();
  expect(drawer.queryByRole('button', { name: 'Email' })).toBeNull();
  await user.click(drawer.getByRole('button', { name: 'Generate a secret' }));
  const secret = drawer.getByText(/^whsec_/).textContent;
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(drawer.getByLabelText('Address').getAttribute('aria-invalid')).toBe('true'));
  await user.type(drawer.getByLabelText('Address'), 'https://example.org/hook');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(made[1]?.body).toEqual({
    type: 'webhook',
    name: 'Webhook',
    events: ['low-balance'],
    enabled: true,
    config: { address: 'https://example.org/hook', secret },
  });
});

it('sends only the entered fields when one is edited', async () => {
  const sent = script('put', '/api/user/destinations/4', () => succeed(destination));
  const { user } = show(<NotificationTargetList owner="own" />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Edit Team' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit notification channel' }));
  expect(drawer.getByPlaceholderText('https://hooks.slack.com/…abcd')).toBeTruthy();
  await user.click(drawer.getByRole('switch', { name: 'Enabled' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ name: 'Team', events: ['low-balance'], enabled: false });
});

it('shows the receiver’s response to a test and why a notification channel was auto-disabled', async () => {
  script('get', '/api/user/destinations', () =>
    succeed([{ ...destination, enabled: false, off_reason: '410 gone', failing_since: now }]),
  );
  script('post', '/api/user/destinations/4/test', () => succeed({ ok: false, answer: '404 no_service' }));
  const { user } = show(<NotificationTargetList owner="own" />, '/panel/profile');
  const row = await screen.findByRole('listitem');
  expect(row.textContent).toMatch(/Team.*Auto-disabled.*Slack.*hooks\.slack\.com.*Low balance.*410 gone/);
  await user.click(screen.getByRole('button', { name: 'Test Team' }));
  await screen.findByText('Team did not accept the test message');
  expect(screen.getByText('404 no_service')).toBeTruthy();
});

it('lists delivery attempts by state and repeats a failed one', async () => {
  const asked = script('get', '/api/alerts/deliveries', () => succeed(wirePage([delivery])));
  const again = script('post', '/api/alerts/deliveries/7/again', () => succeed(null));
  const { user } = show(<DeliveryAttemptList owner="site" />, '/panel/setting');
  const row = await screen.findByRole('listitem');
  expect(row.textContent).toMatch(/running low.*Failed.*Team · Slack · ann.*3 attempts.*404 no_service/);
  await user.click(screen.getByRole('button', { name: 'Status' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Failed' }));
  await waitFor(() => expect(asked.at(-1)?.url.searchParams.get('state')).toBe('failed'));
  await user.click(screen.getByRole('button', { name: /^Send again/ }));
  await screen.findByText('Sending again');
  expect(again).toHaveLength(1);
});
