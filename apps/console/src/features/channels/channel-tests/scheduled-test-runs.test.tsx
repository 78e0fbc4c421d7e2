import type { TestRun } from '@switchyard/contract/channels/channel-tests';
import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { TestRuns } from './scheduled-test-runs.tsx';

const run: TestRun = {
  id: 2,
  started_at: 1_700_000_000,
  ended_at: 1_700_000_060,
  is_running: false,
  passed: 5,
  failed: 1,
  left_out: 3,
  cost_micro_usd: 20_000,
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it('shows the result and the cost of each run, and whether it was interrupted', async () => {
  script('get', '/api/channel/tests/runs', () => succeed([run, { ...run, id: 1, ended_at: null, left_out: 0 }]));
  show(<TestRuns />, '/');
  const rows = await screen.findAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/5 passed, 1 failed · 3 skipped .* · cost \$0\.02$/),
    expect.stringMatching(/5 passed, 1 failed · cost \$0\.02 · interrupted$/),
  ]);
});
