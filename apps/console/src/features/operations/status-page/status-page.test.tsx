import type { ModelStatus } from '@switchyard/contract/channels/channel-health';
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { StatusPage } from './status-page.tsx';

const shares = (count: number, last: number) =>
  Array.from({ length: count }, (_, at) => (at === count - 1 ? last : null));

const model = (name: string, more: Partial<ModelStatus> = {}): ModelStatus => ({
  model: name,
  state: 'operational',
  uptime: 0.998,
  hours: shares(24, 1),
  days: shares(90, 0.998),
  last_incident: null,
  ...more,
});

it('requests nothing when the operator publishes no status', async () => {
  const calls = script('get', '/api/status_page', () => succeed(null));
  script('get', '/api/status', () => succeed(wireSite));
  show(<StatusPage />, '/status');
  expect(await screen.findByText('The status page is not published.')).toBeTruthy();
  expect(calls).toEqual([]);
});

it('shows each model with its state, its days or hours, and its last incident', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, status_page: true }));
  script('get', '/api/status_page', () =>
    succeed({
      first_day: 1_700_000_000,
      first_hour: 1_700_000_000,
      models: [model('gpt-5'), model('gpt-5-mini', { state: 'down', last_incident: 1_700_000_000 })],
    }),
  );
  const { user } = show(<StatusPage />, '/status');
  expect(await screen.findByText('1 model has an incident')).toBeTruthy();
  const [well, down] = screen.getAllByRole('listitem');
  if (well === undefined || down === undefined) throw new Error('a model is missing');
  expect(within(well).getByText('operational')).toBeTruthy();
  expect(within(well).getByText('No incidents in 90 days')).toBeTruthy();
  expect(within(down).getByText('down')).toBeTruthy();
  expect(within(down).getByText(/Last incident/)).toBeTruthy();
  expect(within(well).getByRole('img').children).toHaveLength(90);
  await user.click(screen.getByRole('button', { name: '24 hours' }));
  expect(within(well).getByRole('img').children).toHaveLength(24);
});

it('shows an unknown state instead of a healthy one when there are too few requests', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, status_page: true }));
  const nothing = { state: 'unknown', uptime: null, hours: shares(24, 0), days: shares(90, 0) } as const;
  script('get', '/api/status_page', () =>
    succeed({ first_day: 1_700_000_000, first_hour: 1_700_000_000, models: [model('gpt-5', nothing)] }),
  );
  show(<StatusPage />, '/status');
  expect(await screen.findAllByText('too few requests')).toHaveLength(2);
  expect(screen.queryByText('All systems operational')).toBeNull();
  expect(screen.queryByText('No incidents in 90 days')).toBeNull();
});
