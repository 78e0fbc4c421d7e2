import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireGroup } from '../../accounts/user-groups/user-groups.samples.ts';
import {
  scriptTests,
  wireChannel,
  wireHealth,
  wireHistory,
  wireProviders,
  wireTag,
  wireTest,
} from '../channels.samples.ts';
import { ChannelsPage } from './channels-page.tsx';

const page = <ChannelsPage />;

beforeEach(() => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/provider', () => succeed(wireProviders));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/channel/tags', () => succeed([wireTag('eu')]));
});

it('requests the filters of the URL', async () => {
  const calls = script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1)])));
  show(page, '/panel/channel?type=3&status=auto-disabled&group=default&tag=eu&keyword=gpt');
  await screen.findByText('channel 1');
  const query = Object.fromEntries(calls[0]?.url.searchParams ?? []);
  expect(query).toMatchObject({ type: '3', status: '3', group: 'default', tag: 'eu', keyword: 'gpt' });
});

it('changes a priority in the table and undoes it', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1, { priority: 5 })])));
  const updates = script('put', '/api/channel/', () => succeed(wireChannel(1)));
  const { user } = show(page, '/panel/channel');
  const field = await screen.findByRole('textbox', { name: 'Priority of channel 1' });
  await user.clear(field);
  await user.type(field, '20{Enter}');
  await screen.findByText('channel 1 changed');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(updates.map(({ body }) => body)).toEqual([
      { id: 1, priority: 20 },
      { id: 1, priority: 5 },
    ]),
  );
});

it('does not send a priority that is not an integer', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1, { priority: 5 })])));
  const updates = script('put', '/api/channel/', () => succeed(wireChannel(1)));
  const { user } = show(page, '/panel/channel');
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Priority of channel 1' });
  await user.clear(field);
  await user.type(field, '1.5{Enter}');
  expect(field.value).toBe('5');
  expect(updates).toEqual([]);
});

it('shows the cost of a test run, its results as they arrive, and repeats failed tests', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1), wireChannel(2)])));
  const estimates = script('post', '/api/channel/tests/estimate', () =>
    succeed({ requests: 4, cost_micro_usd: 1_500, unpriced: 1 }),
  );
  const results = [
    wireTest(1, 'gpt-5'),
    wireTest(1, 'gpt-5-mini', { duration: 90 }),
    wireTest(2, 'gpt-5', { outcome: 'failed', problem: 'out-of-credit', message: 'pay first' }),
    wireTest(2, 'gpt-5-mini', { outcome: 'failed', problem: 'model-missing', message: 'what?' }),
  ];
  const runs = scriptTests(() => results);
  const updates = script('put', '/api/channel/', () => succeed(wireChannel(2)));
  const { user } = show(page, '/panel/channel');
  await screen.findByText('channel 1');
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Test' }));
  const dialog = await screen.findByRole('dialog', { name: 'Test 2 channels' });
  await user.click(within(dialog).getByRole('button', { name: 'All models of each channel' }));
  await within(dialog).findByText(/4 requests, about \$0\.0015 at list price\. 1 of them/);
  expect(estimates.at(-1)?.body).toEqual({ channels: { ids: [1, 2] }, models: 'all', kinds: ['short'] });
  expect(runs).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Start' }));
  await within(dialog).findByText('2 passed, 2 failed');
  expect(within(dialog).getByText('90 ms')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: /^gpt-5 on .*channel 2.*: failed$/ }));
  expect(within(dialog).getByText('The account has no credit left.')).toBeTruthy();
  expect(within(dialog).getByText('pay first')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Failed only' }));
  expect(within(dialog).queryByText('channel 1')).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'Retest failed' }));
  await waitFor(() =>
    expect(runs[1]?.body).toEqual({ channels: { ids: [2] }, models: ['gpt-5', 'gpt-5-mini'], kinds: ['short'] }),
  );
  await user.click(await within(dialog).findByRole('button', { name: 'Disable 1 failed' }));
  await waitFor(() => expect(updates.map(({ body }) => body)).toEqual([{ id: 2, status: 2 }]));
});

it('reports an interrupted run whose remaining tests did not run', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1)])));
  script('post', '/api/channel/tests/estimate', () => succeed({ requests: 1, cost_micro_usd: 0, unpriced: 0 }));
  scriptTests(() => [], false);
  const { user } = show(page, '/panel/channel');
  await screen.findByText('channel 1');
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Test' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Start' }));
  await within(dialog).findByText(/The connection was lost/);
});

it('shows why a channel was auto-disabled and its earlier tests, and tests a single model', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([])));
  const broken = wireChannel(4, { status: 3, disabled_reason: 'The key was revoked' });
  script('get', '/api/channel/4', () => succeed(broken));
  script('get', '/api/channel/4/health', () => succeed({ models: [], events: [] }));
  script('get', '/api/channel/4/keys', () => succeed([]));
  script('get', '/api/channel/4/history', () => succeed([wireHistory('gpt-5')]));
  script('get', '/api/channel/4/tests', () =>
    succeed([wireTest(4, 'gpt-4', { kind: 'tool', outcome: 'failed', problem: 'wrong-answer', message: 'no call' })]),
  );
  const runs = scriptTests(() => [wireTest(4, 'gpt-5', { duration: 90 })]);
  const { user } = show(page, '/panel/channel?open=4');
  expect(await screen.findByText('The key was revoked')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Test gpt-5' }));
  expect(await screen.findByText('90 ms')).toBeTruthy();
  expect(runs[0]?.body).toEqual({ channels: { ids: [4] }, models: ['gpt-5'], kinds: ['short'] });
  const kept = screen.getByRole('region', { name: 'Last tests' });
  expect(within(kept).getByText('Tool call')).toBeTruthy();
  expect(within(kept).getByText('The model responded, but the result is wrong.')).toBeTruthy();
  const history = screen.getByRole('region', { name: 'Request history' });
  expect(within(history).getByRole('img', { name: /gpt-5.*, 24 hours: 75% successful/ })).toBeTruthy();
  expect(within(history).getByText('First content: p50 300 ms, p95 900 ms')).toBeTruthy();
  expect(within(history).getByText('Failures in 30 days: rate limit 1')).toBeTruthy();
});

it('shows a channel’s health by model and enables it again', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([])));
  script('get', '/api/channel/4', () => succeed(wireChannel(4)));
  let models = [
    wireHealth('gpt-5', { breaker: 'open', open_until: 1_700_000_000, failures_in_row: 5 }),
    wireHealth('gpt-5-mini', { first_content_time: 320 }),
  ];
  const events = [
    { created_at: 1_700_000_000, event: 'auto-disabled', reason: 'The key was revoked', username: '' },
    { created_at: 1_600_000_000, event: 'enabled', reason: '', username: 'ada' },
  ];
  script('get', '/api/channel/4/health', () => succeed({ models, events }));
  script('get', '/api/channel/4/keys', () => succeed([]));
  script('get', '/api/channel/4/history', () => succeed([]));
  script('get', '/api/channel/4/tests', () => succeed([]));
  const resumed = script('post', '/api/channel/4/resume', () => {
    models = [wireHealth('gpt-5')];
    return succeed(null);
  });
  const { user } = show(page, '/panel/channel?open=4');
  const health = await screen.findByRole('region', { name: 'Health' });
  expect(await within(health).findByText('Circuit open')).toBeTruthy();
  expect(within(health).getByText(/^not used until .* · 5 failures in a row$/)).toBeTruthy();
  expect(within(health).getByText('first content after 320 ms')).toBeTruthy();
  expect(within(health).getByText('The key was revoked')).toBeTruthy();
  expect(within(health).getByText('the gateway')).toBeTruthy();
  expect(within(health).getByText('ada')).toBeTruthy();
  await user.click(within(health).getByRole('button', { name: 'Resume now' }));
  await screen.findByText('channel 4 is back in use');
  await waitFor(() => expect(within(health).queryByRole('button', { name: 'Resume now' })).toBeNull());
  expect(resumed).toHaveLength(1);
});

it('deletes all disabled channels only after a word is typed, and reports their number', async () => {
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1)])));
  const removed = script('delete', '/api/channel/disabled', () => succeed(3));
  const { user } = show(page, '/panel/channel');
  await screen.findByText('channel 1');
  const [menu] = screen.getAllByRole('button', { name: 'More' });
  if (menu === undefined) throw new Error('no menu');
  await user.click(menu);
  await user.click(await screen.findByRole('menuitem', { name: 'Delete all disabled channels' }));
  const dialog = await screen.findByRole('alertdialog');
  await user.type(within(dialog).getByRole('textbox'), 'delete');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await screen.findByText('3 channels deleted');
  expect(removed).toHaveLength(1);
});

it('offers no changes to read-only users', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['channels.read'])));
  script('get', '/api/channel/', () => succeed(wirePage([wireChannel(1, { priority: 5 })])));
  const { user } = show(page, '/panel/channel');
  await screen.findByText('channel 1');
  expect(screen.queryByRole('button', { name: 'New channel' })).toBeNull();
  expect(screen.queryByRole('textbox', { name: 'Priority of channel 1' })).toBeNull();
  expect(screen.queryByRole('checkbox')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'More' }));
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).not.toContain('Edit');
});
