import { channelId } from '@switchyard/contract/ids';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../../testing/render.tsx';
import { wireTest } from '../channels.samples.ts';
import { TestResultList } from './test-results.tsx';

const found = (more: Parameters<typeof wireTest>[2]) => ({
  ...wireTest(4, 'gpt-5', more),
  channel_id: channelId.parse(4),
});

it('shows the expected and the actual response of a failed test', async () => {
  const finding = { code: 'other-text', wanted: 'red', said: 'a blue one' } as const;
  show(<TestResultList tests={[found({ outcome: 'failed', problem: 'wrong-answer', finding })]} />, '/');
  expect((await screen.findByRole('listitem')).textContent).toMatch(/red.*a blue one/);
});

it('explains why a test does not apply', async () => {
  const finding = { code: 'no-tools', wanted: '', said: '' } as const;
  show(<TestResultList tests={[found({ kind: 'tool', outcome: 'not-applicable', finding })]} />, '/');
  expect(await screen.findByText('The model does not support tool calls.')).toBeTruthy();
});

it('explains what a free test proves', async () => {
  show(<TestResultList tests={[found({ kind: 'model-list', cost_micro_usd: 0 })]} />, '/');
  expect(await screen.findByText(/The model itself was not tested/)).toBeTruthy();
});
