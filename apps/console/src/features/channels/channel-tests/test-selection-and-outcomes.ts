/** Selection of channel tests and their states. */
import { deepProbes, type TestPlan, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import type { TestState } from './use-test-run.ts';

export type ModelChoice = 'test-model' | 'all';
export type KindChoice = 'short' | 'stream' | 'deep';
export const modelChoices: readonly ModelChoice[] = ['test-model', 'all'];
export const kindChoices: readonly KindChoice[] = ['short', 'stream', 'deep'];

export const kindsOf = (choice: KindChoice): TestProbe[] => (choice === 'deep' ? [...deepProbes] : [choice]);

/** Returns the models that can be called; patterns such as gpt-4* cannot. */
export const callable = ({ models }: Channel): string[] => models.filter((model) => !model.endsWith('*'));

/** Returns the number of tests. The server also leaves out channels that offer no model by name. */
export function countTests(channels: readonly Channel[], models: ModelChoice, kinds: KindChoice): number {
  const asked = channels.reduce((sum, channel) => sum + (models === 'all' ? callable(channel).length : 1), 0);
  return asked * kindsOf(kinds).length;
}

export type CellOutcome = 'waiting' | 'running' | 'passed' | 'failed' | 'not-applicable';

/** Returns the worst outcome among the tests of a channel's model. */
export function outcomeOf(states: readonly TestState[]): CellOutcome {
  if (states.length === 0) return 'waiting';
  const outcomes = new Set(states.map(({ result }) => result?.outcome));
  if (outcomes.has('failed')) return 'failed';
  if (outcomes.has(undefined)) return 'running';
  return outcomes.has('passed') ? 'passed' : 'not-applicable';
}

/** Returns plans that repeat the failed tests: for each channel its own models and kinds. */
export function failedPlans(states: readonly TestState[]): TestPlan[] {
  const failed = states.filter(({ result }) => result?.outcome === 'failed');
  const byChannel = new Map<ChannelId, TestState[]>();
  for (const state of failed) byChannel.set(state.channelId, [...(byChannel.get(state.channelId) ?? []), state]);
  return [...byChannel].map(([id, ones]) => ({
    channels: { ids: [id] },
    models: [...new Set(ones.map(({ model }) => model))],
    kinds: [...new Set(ones.map(({ kind }) => kind))],
  }));
}
