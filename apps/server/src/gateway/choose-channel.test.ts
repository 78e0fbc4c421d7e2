import { channelId } from '@switchyard/contract/ids';
import { findProvider, testRequest } from '@switchyard/relay';
import { expect, test } from 'vitest';
import { usualPhases } from '../testing/phase-limits.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { createChannelHealth } from './channel-health.ts';
import { createChooseChannel } from './choose-channel.ts';
import type { ChannelState, GroupState, Snapshot } from './snapshot.ts';

const provider = findProvider('openai');
if (provider === undefined) throw new Error('the provider openai is missing');

const group = (symbol: string): GroupState => ({
  symbol,
  enabled: true,
  public: true,
  ratioMicros: 1_000_000,
  apiRate: 0,
  tokensPerMinute: 0,
});
const channel = (number: number, changes: Partial<ChannelState> = {}): ChannelState => ({
  id: channelId.parse(number),
  name: `channel ${number}`,
  target: { provider, baseUrl: 'http://127.0.0.1', credentials: {}, options: {}, headers: {} },
  groups: new Set(['default']),
  models: ['gpt-4o'],
  modelMapping: {},
  proxy: '',
  priority: 0,
  weight: 1,
  onlyChat: false,
  deadlines: usualPhases,
  ...changes,
});

function chooser(channels: ChannelState[], random?: () => number) {
  const clock = createTestClock(1_000_000);
  const health = createChannelHealth(clock);
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const snapshot: Snapshot = {
    keyByHash: unused,
    user: unused,
    group,
    priceOf: unused,
    channels: () => channels,
    channel: (id) => channels.find((each) => each.id === id),
    channelsVersion: 0,
  };
  const choose = createChooseChannel(snapshot, health, random);
  const next = (model = 'gpt-4o', groups = ['default'], tried: number[] = []) =>
    choose.next(testRequest(model), groups.map(group), new Set(tried));
  return { choose, next, health, clock };
}

test('the highest priority that is left serves', () => {
  const { next } = chooser([channel(1), channel(2, { priority: 5 }), channel(3, { priority: 9 })]);
  expect(next()?.channel.id).toBe(3);
  expect(next('gpt-4o', ['default'], [3])?.channel.id).toBe(2);
  expect(next('gpt-4o', ['default'], [3, 2])?.channel.id).toBe(1);
  expect(next('gpt-4o', ['default'], [3, 2, 1])).toBeUndefined();
});

test('equals share by weight', () => {
  const served = new Map<number, number>();
  const { next } = chooser([channel(1, { weight: 1 }), channel(2, { weight: 3 })]);
  for (let call = 0; call < 4_000; call += 1) {
    const id = next()?.channel.id ?? 0;
    served.set(id, (served.get(id) ?? 0) + 1);
  }
  expect((served.get(2) ?? 0) / 4_000).toBeGreaterThan(0.7);
  expect((served.get(2) ?? 0) / 4_000).toBeLessThan(0.8);
});

test('a resting channel is passed over, and used when no other is left', () => {
  const { next, health, clock } = chooser([channel(1, { priority: 5 }), channel(2)]);
  health.rest(1, 'gpt-4o', 5_000);
  expect(next()?.channel.id).toBe(2);
  expect(next('gpt-4o', ['default'], [2])?.channel.id).toBe(1);
  clock.advance(6);
  expect(next()?.channel.id).toBe(1);
});

test('a rest for one model leaves the others alone', () => {
  const { next, health } = chooser([
    channel(1, { models: ['gpt-4o', 'gpt-4o-mini'], priority: 1 }),
    channel(2, { models: ['gpt*'] }),
  ]);
  health.rest(1, 'gpt-4o', 5_000);
  expect(next('gpt-4o-mini')?.channel.id).toBe(1);
});

test('a wildcard offers every name that begins so, and no other', () => {
  const { next } = chooser([channel(1, { models: ['claude-*'] })]);
  expect(next('claude-sonnet-4-5')?.channel.id).toBe(1);
  expect(next('gpt-4o')).toBeUndefined();
});

test('the second group is looked at only when the first has nothing, and sets the price then', () => {
  const { next } = chooser([channel(1, { groups: new Set(['vip']) })]);
  expect(next('gpt-4o', ['default', 'vip'])).toMatchObject({ channel: { id: 1 }, group: { symbol: 'vip' } });
  expect(next('gpt-4o', ['default'])).toBeUndefined();
});

test('a mapped model is sent and billed under the upstream’s name, with a + under the requested one', () => {
  const { next } = chooser([channel(1, { models: ['a', 'b'], modelMapping: { a: 'real-a', b: '+real-b' } })]);
  expect(next('a')).toMatchObject({ upstreamModel: 'real-a', billedModel: 'real-a' });
  expect(next('b')).toMatchObject({ upstreamModel: 'real-b', billedModel: 'b' });
});

test('requests with tools avoid channels that only chat', () => {
  const { choose } = chooser([channel(1, { onlyChat: true })]);
  const request = testRequest('gpt-4o');
  const withTools = { ...request, facts: { ...request.facts, hasTools: true } };
  expect(choose.next(withTools, [group('default')], new Set())).toBeUndefined();
  expect(choose.next(request, [group('default')], new Set())).toBeDefined();
});
