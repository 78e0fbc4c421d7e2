import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import { channel } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { expect, it } from 'vitest';
import { wireChannel, wireTest } from '../channels.samples.ts';
import { countTests, failedPlans, outcomeOf } from './test-selection-and-outcomes.ts';
import type { TestState } from './use-test-run.ts';

const state = (id: number, model: string, more: Partial<StoredTest> = {}): TestState => {
  const result: StoredTest = { ...wireTest(id, model), channel_id: channelId.parse(id), ...more };
  return { channelId: result.channel_id, model, kind: result.kind, result };
};
const failed = { outcome: 'failed', problem: 'dns' } as const;

it('returns the worst outcome of several tests', () => {
  expect(outcomeOf([])).toBe('waiting');
  expect(outcomeOf([state(1, 'a'), { ...state(1, 'a'), result: undefined }])).toBe('running');
  expect(outcomeOf([state(1, 'a'), state(1, 'a', { ...failed, kind: 'tool' })])).toBe('failed');
  expect(outcomeOf([state(1, 'a', { outcome: 'not-applicable' })])).toBe('not-applicable');
  expect(outcomeOf([state(1, 'a'), state(1, 'a', { outcome: 'not-applicable' })])).toBe('passed');
});

it('repeats only the failed tests', () => {
  const states = [
    state(1, 'a'),
    state(1, 'b', failed),
    state(2, 'a', failed),
    state(2, 'a', { ...failed, kind: 'tool' }),
  ];
  expect(failedPlans(states)).toEqual([
    { channels: { ids: [1] }, models: ['b'], kinds: ['short'] },
    { channels: { ids: [2] }, models: ['a'], kinds: ['short', 'tool'] },
  ]);
});

it('counts the tests of models that can be called', () => {
  const channels = [channel.parse(wireChannel(1, { models: ['a', 'b', 'c*'] })), channel.parse(wireChannel(2))];
  expect(countTests(channels, 'all', 'short')).toBe(4);
  expect(countTests(channels, 'test-model', 'deep')).toBe(14);
});
