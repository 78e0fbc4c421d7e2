import { type Job, jobNames, type LogEvent, type SystemState } from '@switchyard/contract/operations/system-info';
import { screen, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { SystemInfoPage } from './system-info-page.tsx';

const now = Math.floor(Date.now() / 1000);
const DAY = 86_400;

const state: SystemState = {
  version: '1.0.0',
  newest: null,
  node: 'host:7',
  node_version: 'v24.0.0',
  started_at: now - 2 * DAY,
  now,
  database: {
    size: 1_500_000,
    engine: 'sqlite',
    engine_version: '3.50.0',
    migration: '0020-operations',
    file: { wal_size: 4_096, free_pages: 10, page_size: 4_096, journal_mode: 'wal' },
    connections: null,
    replica: null,
  },
  nodes: [],
  event_loop: { p50: 1, p99: 12 },
  memory: { rss: 250_000_000, heap: 80_000_000, external: 9_000_000, share: 0.1 },
  requests: { running: 3, held: 2, refused: 0, shedding: false },
  queues: { mail_waiting: 1, mail_failed: 4 },
  certificates: [],
};

const certificate = {
  host: 'api.example.com',
  channels: 2,
  problem: '' as const,
  issuer: 'Known Authority',
  valid_until: now + 5 * DAY + 100,
  checked_at: now - 100,
};

const wireJob = (name: Job['name'], more: Partial<Job> = {}): Job => ({
  name,
  every: 3_600,
  running: false,
  last: { started_at: now - 60, duration: 20, outcome: 'ok', message: '' },
  next_at: now + 3_540,
  ...more,
});

const line = (number: number, level: 'info' | 'error', message: string): LogEvent => ({
  event: 'line',
  line: { number, time: Date.now(), level, message, detail: '{"job":"x"}' },
});

beforeEach(() => {
  script('get', '/api/system_info/', () => succeed(state));
  script('get', '/api/jobs/', () => succeed(jobNames.map((name) => wireJob(name))));
});

it('shows the server’s state, and that it did not check for a newer version', async () => {
  show(<SystemInfoPage />, '/panel/system_info');
  expect(await screen.findByText('host:7')).toBeTruthy();
  expect(screen.getByText('Not checked')).toBeTruthy();
  expect(screen.getByText('2 days')).toBeTruthy();
  expect(screen.getByText('SQLite 3.50.0')).toBeTruthy();
  expect(screen.getByText('1.5 MB')).toBeTruthy();
  expect(screen.getByText('3, 2 with a hold')).toBeTruthy();
  expect(screen.getByText('1 queued, 4 failed')).toBeTruthy();
});

it('shows connections and nodes of a database server, but no file', async () => {
  const database = {
    engine: 'postgres' as const,
    engine_version: '17.2',
    size: 1_500_000,
    migration: '0032-nodes',
    file: null,
    connections: { open: 22, max: 100 },
    replica: { use: 'behind', lag: 7_000 },
  };
  const node = { id: 1, name: 'host:7', version: '1.0.0', started_at: now - DAY, is_alive: true };
  const nodes = [node, { ...node, id: 2, name: 'other:9', version: '0.9.0', is_alive: false }];
  script('get', '/api/system_info/', () => succeed({ ...state, database, nodes }));
  show(<SystemInfoPage />, '/panel/system_info');
  expect(await screen.findByText('PostgreSQL 17.2')).toBeTruthy();
  expect(screen.getByText('22 of 100')).toBeTruthy();
  expect(screen.queryByText('Write-ahead log')).toBeNull();
  const [first, second] = within(screen.getByRole('list', { name: 'Nodes' })).getAllByRole('listitem');
  expect(first?.textContent).toMatch(/host:7.*1\.0\.0.*Online/);
  expect(second?.textContent).toMatch(/other:9.*0\.9\.0.*Not responding/);
});

it('sorts certificates by expiry and explains a missing one', async () => {
  script('get', '/api/system_info/', () =>
    succeed({
      ...state,
      newest: { version: '2.0.0', is_newer: true, asked_at: now },
      certificates: [
        { ...certificate, host: 'later.example.com', valid_until: now + 90 * DAY + 100 },
        { ...certificate, host: 'http://10.0.0.1', problem: 'plain-http', valid_until: null, issuer: '' },
        certificate,
      ],
    }),
  );
  show(<SystemInfoPage />, '/panel/system_info');
  expect(await screen.findByText('Update available')).toBeTruthy();
  const [first, , last] = within(screen.getByRole('list', { name: 'Provider certificates' })).getAllByRole('listitem');
  expect(first?.textContent).toMatch(/api\.example\.com.*Known Authority.*5 days left/);
  expect(last?.textContent).toContain('plain HTTP, without a certificate');
});

it('lists failed jobs first with the reason and starts a job', async () => {
  const failed = { started_at: now - 9, duration: 5, outcome: 'failed' as const, message: 'no answer' };
  script('get', '/api/jobs/', () => succeed([wireJob('check-books'), wireJob('check-version', { last: failed })]));
  const run = script('post', '/api/jobs/check-books/run', () => succeed(wireJob('check-books', { running: true })));
  const { user } = show(<SystemInfoPage />, '/panel/system_info?tab=jobs');
  const [first] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toMatch(/Check for a new version.*Failed.*no answer/);
  await user.click(screen.getByRole('button', { name: 'Run now: Check balances against the ledger' }));
  expect(await screen.findByText('Started: Check balances against the ledger')).toBeTruthy();
  expect(run).toHaveLength(1);
});

it('follows the log, filters it and resumes after the last line when the connection is lost', async () => {
  const asked = script('post', '/api/system_info/log', () => {
    if (asked.length > 1) return refuse('unavailable', 503);
    const events: LogEvent[] = [
      line(5, 'info', 'all is well'),
      { event: 'missed', count: 3 },
      line(9, 'error', 'something broke'),
    ];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new HttpResponse(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const { user } = show(<SystemInfoPage />, '/panel/system_info?tab=log');
  const log = await screen.findByRole('log');
  expect(await within(log).findByText(/something broke/)).toBeTruthy();
  expect(within(log).getByText('3 lines were skipped here')).toBeTruthy();
  expect(await screen.findByText('Connection lost, reconnecting')).toBeTruthy();
  expect(asked.slice(0, 2).map(({ body }) => body)).toEqual([{ after: 0 }, { after: 9 }]);
  await user.click(screen.getByRole('button', { name: /Level/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Errors' }));
  expect(within(log).queryByText(/all is well/)).toBeNull();
  expect(within(log).getByText(/something broke/)).toBeTruthy();
  await user.type(screen.getByRole('searchbox', { name: 'Search the log' }), 'nothing like it');
  expect(within(log).queryByText(/something broke/)).toBeNull();
});
