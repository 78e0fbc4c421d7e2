import { type Capability, type ClientRequest, createChatTest, findProvider } from '@switchyard/relay';
import { describe, expect, test } from 'vitest';
import { type ChannelHealth, createChannelHealth } from '../../channels/registry/registry.ts';
import { sampleChannel as channel, sampleGroup as group, sampleSnapshot } from '../../testing/routing-samples.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';
import type { GetChannelCost } from './channel-and-key-order.ts';
import { type Candidate, createChannelSelector } from './channel-selector.ts';
import type { ChannelSearch } from './classify-channels.ts';

function chooser(channels: ChannelState[], random?: () => number, costs?: GetChannelCost) {
  const clock = createTestClock(1_000_000);
  // Without chance in how long a breaker stays open.
  const health = createChannelHealth(clock, () => 0.5);
  const choose = createChannelSelector({
    snapshot: sampleSnapshot(channels),
    health,
    ...(random === undefined ? {} : { random }),
    ...(costs === undefined ? {} : { costs }),
  });
  const search = (changes: Partial<ChannelSearch>) =>
    choose.selectNext({
      request: createChatTest('gpt-4o'),
      model: 'gpt-4o',
      groups: [group('default')],
      tried: new Set(),
      findWarmAccount: () => undefined,
      ...changes,
    });
  const next = (model = 'gpt-4o', groups = ['default'], tried: number[] = []) =>
    search({
      request: createChatTest(model),
      model,
      groups: groups.map((symbol) => group(symbol)),
      tried: new Set(tried),
    });
  return { search, next, health, clock };
}

test('the highest priority that is left serves', () => {
  const { next } = chooser([channel(1), channel(2, { priority: 5 }), channel(3, { priority: 9 })]);
  expect(next()?.channel.id).toBe(3);
  expect(next('gpt-4o', ['default'], [3])?.channel.id).toBe(2);
  expect(next('gpt-4o', ['default'], [3, 2])?.channel.id).toBe(1);
  expect(next('gpt-4o', ['default'], [3, 2, 1])).toBeUndefined();
});

test('examines only candidates and reported channels among thousands', () => {
  const many = Array.from({ length: 3_000 }, (_, at) => channel(at + 1, { priority: at }));
  const { next, health } = chooser(many);
  let looks = 0;
  const healthOf = health.get.bind(health);
  health.get = (id, model) => {
    looks += 1;
    return healthOf(id, model);
  };
  const found = next();
  expect(found?.channel.id).toBe(3_000);
  expect(found?.verdicts).toHaveLength(20);
  expect(looks).toBeLessThanOrEqual(20);
});

test('lists a channel once that offers a model by name and by prefix', () => {
  const { next } = chooser([
    channel(1, { models: ['gpt*'], priority: 1 }),
    channel(2, { models: ['gpt-4o', 'gpt*', 'g*'], priority: 2 }),
    channel(3, { models: ['gpt-4o'], priority: 3 }),
  ]);
  expect(next()?.verdicts.map(([id]) => id)).toEqual([3, 2, 1]);
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
  health.startCooldown(1, 'gpt-4o', 5_000);
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
  health.startCooldown(1, 'gpt-4o', 5_000);
  expect(next('gpt-4o-mini')?.channel.id).toBe(1);
});

test('a wildcard offers every name that begins so, and no other', () => {
  const { next } = chooser([channel(1, { models: ['claude-*'] })]);
  expect(next('claude-sonnet-4-5')?.channel.id).toBe(1);
  expect(next('gpt-4o')).toBeUndefined();
});

test('the second group is used only if the first has no channel, and sets the price then', () => {
  const { next } = chooser([channel(1, { groups: new Set(['vip']) })]);
  expect(next('gpt-4o', ['default', 'vip'])).toMatchObject({ channel: { id: 1 }, group: { symbol: 'vip' } });
  expect(next('gpt-4o', ['default'])).toBeUndefined();
});

test('a mapped model is sent and billed under the upstream’s name, with a + under the requested one', () => {
  const { next } = chooser([channel(1, { models: ['a', 'b'], modelMapping: { a: 'real-a', b: '+real-b' } })]);
  expect(next('a')).toMatchObject({ upstreamModel: 'real-a', billedModel: 'real-a' });
  expect(next('b')).toMatchObject({ upstreamModel: 'real-b', billedModel: 'b' });
});

test('requests avoid channels that lack required features', () => {
  const lacking = (capability: Capability) => chooser([channel(1, { lacks: new Set([capability]) })]);
  const plain = createChatTest('gpt-4o');
  const buildRequest = (
    changes: Record<string, unknown>,
    facts: Partial<ClientRequest['facts']> = {},
  ): ClientRequest => ({ ...plain, json: { ...plain.json, ...changes }, facts: { ...plain.facts, ...facts } });
  const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }] }];
  const cases: [Capability, ClientRequest][] = [
    ['tools', buildRequest({}, { hasTools: true })],
    ['streaming', buildRequest({}, { stream: true })],
    ['images', buildRequest({ messages: image })],
    ['structured-output', buildRequest({ response_format: { type: 'json_schema' } })],
    ['reasoning', buildRequest({ reasoning_effort: 'high' })],
  ];
  for (const [capability, request] of cases) {
    const { search } = lacking(capability);
    expect(search({ request }), capability).toBeUndefined();
    expect(search({ request: plain }), capability).toBeDefined();
  }
});

test('skips a channel whose upstream does not offer the requested feature', () => {
  const base = channel(1);
  const provider = findProvider('custom') ?? base.target.provider;
  const withPath = (chatPath: string) => {
    const target = { ...base.target, provider, options: { chatPath } };
    return chooser([{ ...base, target }]).next();
  };
  expect(withPath('-')).toBeUndefined();
  expect(withPath('/chat')).toBeDefined();
});

describe('the explanation of a choice', () => {
  const why = (candidate: Candidate | undefined) => candidate?.verdicts;

  test('explains choices by weight, priority, earlier attempts and missing capabilities', () => {
    const { search } = chooser(
      [
        channel(1, { priority: 9 }),
        channel(2, { priority: 5 }),
        channel(3, { priority: 5 }),
        channel(4),
        channel(5, { priority: 7, lacks: new Set<Capability>(['streaming']) }),
      ],
      () => 0,
    );
    const request = { ...createChatTest('gpt-4o'), facts: { ...createChatTest('gpt-4o').facts, stream: true } };
    expect(why(search({ request, tried: new Set([1]) }))).toEqual([
      [1, 'tried'],
      [5, 'lacks', 'streaming'],
      [2, 'chosen'],
      [3, 'outweighed'],
      [4, 'lower-priority'],
    ]);
  });

  test('explains choices by health, down to the last resort', () => {
    const { search, health } = chooser([channel(1), channel(2), channel(3)]);
    health.startCooldown(1, 'gpt-4o', 5_000);
    for (let failure = 0; failure < 5; failure += 1) health.beginAttempt(2, 'gpt-4o').recordFailure();
    const verdicts = why(search({})) ?? [];
    expect(verdicts.map(([id, reason]) => [id, reason])).toEqual([
      [1, 'resting'],
      [2, 'open'],
      [3, 'chosen'],
    ]);
    expect(verdicts[0]?.[2]).toBe(1_005);
    expect(why(search({ tried: new Set([3]) }))?.map(([id, reason]) => [id, reason])).toEqual([
      [1, 'last-resort'],
      [2, 'open'],
      [3, 'tried'],
    ]);
  });

  test('explains choices by session affinity within the highest healthy priority', () => {
    const { search, health } = chooser([channel(1, { priority: 5 }), channel(2, { priority: 5 }), channel(3)]);
    expect(why(search({ findWarmAccount: () => ({ channelId: 2, keyId: '' }) }))).toEqual([
      [1, 'colder'],
      [2, 'warm'],
      [3, 'lower-priority'],
    ]);
    expect(search({ findWarmAccount: () => ({ channelId: 3, keyId: '' }) })?.channel.id).not.toBe(3);
    health.startCooldown(2, 'gpt-4o', 5_000);
    expect(search({ findWarmAccount: () => ({ channelId: 2, keyId: '' }) })?.channel.id).toBe(1);
  });
});

test('a group may prefer the fastest of its equals, or the cheapest', () => {
  const costs = (each: ChannelState): number => (each.id === 1 ? 7 : 9);
  const { search, health } = chooser([channel(1), channel(2)], () => 0.5, costs);
  health.beginAttempt(1, 'gpt-4o').recordSuccess(900);
  health.beginAttempt(2, 'gpt-4o').recordSuccess(200);
  expect(search({ groups: [{ ...group('default'), order: 'latency' }] })?.verdicts).toEqual([
    [1, 'slower'],
    [2, 'fastest'],
  ]);
  expect(search({ groups: [{ ...group('default'), order: 'cost' }] })?.verdicts).toEqual([
    [1, 'cheapest'],
    [2, 'dearer'],
  ]);
});

describe('a breaker that is open', () => {
  const fail = (health: ChannelHealth, id: number): void => {
    for (let failure = 0; failure < 5; failure += 1) health.beginAttempt(id, 'gpt-4o').recordFailure();
  };

  const served = (search: () => Candidate | undefined) =>
    new Set(Array.from({ length: 200 }, () => search()?.channel.id));

  test('uses no failing channel while a healthy one is left, regardless of priorities', () => {
    const sick = [1, 2, 3].map((number) => channel(number, { priority: 9 }));
    const { search, health } = chooser([...sick, channel(4)]);
    for (const { id } of sick) fail(health, id);
    expect(served(() => search({}))).toEqual(new Set([4]));
  });

  test('leaves out at most half of the channels when none is healthy', () => {
    const { search, health, clock } = chooser([channel(1), channel(2), channel(3), channel(4)]);
    for (const id of [1, 2, 3, 4]) {
      fail(health, id);
      clock.advance(2);
    }
    expect(served(() => search({}))).toEqual(new Set([1, 2]));
  });

  test('never takes out the only channel', () => {
    const { search, health } = chooser([channel(1)]);
    fail(health, 1);
    expect(search({})?.verdicts).toEqual([[1, 'last-resort']]);
  });

  test('lets one request at a time try it when its time is over', () => {
    const { search, health, clock } = chooser([channel(1), channel(2)], () => 0);
    fail(health, 1);
    expect(search({})?.channel.id).toBe(2);
    clock.advance(40);
    expect(search({})?.channel.id).toBe(1);
    const probe = health.beginAttempt(1, 'gpt-4o');
    expect(search({})?.verdicts.map(([id, reason]) => [id, reason])).toEqual([
      [1, 'probing'],
      [2, 'chosen'],
    ]);
    probe.recordSuccess(100);
    expect(search({})?.channel.id).toBe(1);
  });
});
