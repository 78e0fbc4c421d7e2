import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import {
  channelTests,
  deepProbes,
  type TestEvent,
  type TestPlan,
  testProbe,
} from '@switchyard/contract/channels/channel-tests';
import { channels } from '@switchyard/contract/channels/channels';
import { readEvents } from '@switchyard/contract/client';
import type { ChannelId } from '@switchyard/contract/ids';
import { afterAll, describe, expect, test } from 'vitest';
import { priceRoutes } from '../../catalog/prices/routes.ts';
import { type Reply, startTestVendor, type VendorRequest } from '../../testing/simulated-vendor.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { channelRoutes } from '../registry/routes.ts';
import { channelTestRoutes } from './routes.ts';

const CUSTOM = 8;
const CHAT = 'POST /v1/chat/completions';
const app = await useFeatureApp([
  serveRoutes(channelTests, channelTestRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(prices, priceRoutes),
]);
const admin = await app.createUser('root');
const api = admin.api(channelTests);
const vendor = await startTestVendor();
afterAll(() => vendor.close());

const create = async (changes: Partial<Parameters<ReturnType<typeof channelApi>['create']>[0]['body']> = {}) => {
  const [channel] = await channelApi().create({
    body: { name: 'c', type: CUSTOM, base_url: vendor.url, models: ['m-one'], key: 'sk-secret-0001', ...changes },
  });
  if (channel === undefined) throw new Error('No channel was created');
  return channel.id;
};
const channelApi = () => admin.api(channels);

async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true });
}
const post = (plan: unknown, signal?: AbortSignal) =>
  admin.fetch('/api/channel/tests', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(plan),
    ...(signal === undefined ? {} : { signal }),
  });
const run = async (plan: Omit<TestPlan, 'channels'> & { channels: unknown }) => {
  const events: TestEvent[] = [];
  for await (const event of readEvents(channelTests.run, textOf(await post(plan)))) events.push(event);
  expect(events.at(-1)).toEqual({ event: 'end' });
  return events.flatMap((event) => (event.event === 'result' ? [event.result] : []));
};

const whole = (message: unknown, model = 'm-one'): Reply => ({
  json: {
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
});
const sse = (pieces: readonly string[], usage = true): Reply => {
  const chunk = (more: unknown) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...(more as object) })}\n\n`;
  return {
    headers: { 'content-type': 'text/event-stream' },
    text: [
      ...pieces.map((content) => chunk({ choices: [{ index: 0, delta: { content } }] })),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      ...(usage ? [chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 } })] : []),
      'data: [DONE]\n\n',
    ].join(''),
  };
};
const answers = (say: (body: Record<string, never>) => Reply) => {
  vendor.handlers[CHAT] = ({ body }: VendorRequest) => say(JSON.parse(body));
};

describe('a run', () => {
  test('reports each result when it arrives, stores the last one of each kind, and shows its cost', async () => {
    const listed = rates.parse({ input: 500_000_000, output: 1_000_000_000 });
    await admin.api(prices).create({ body: { model: 'm-one', rates: listed, image_rates: {}, tiers: [] } });
    answers((body) => (body['stream'] ? sse(['one ', 'two ']) : whole({ role: 'assistant', content: 'hi' })));
    const id = await create({ models: ['m-one', 'm-two', 'wild-*'] });
    const results = await run({ channels: { ids: [id] }, models: 'all', kinds: ['short', 'stream'] });
    expect(results.map(({ model, kind, outcome }) => [model, kind, outcome])).toEqual([
      ['m-one', 'short', 'passed'],
      ['m-one', 'stream', 'passed'],
      ['m-two', 'short', 'passed'],
      ['m-two', 'stream', 'passed'],
    ]);
    const [short, stream, other] = results;
    expect(short).toMatchObject({ input_tokens: 10, output_tokens: 5, cost_micro_usd: 20, first_content_time: null });
    expect(stream?.first_content_time).toBeGreaterThan(0);
    expect(other?.cost_micro_usd).toBeNull();
    vendor.handlers[CHAT] = () => ({ status: 402, json: { error: { message: 'no money' } } });
    await run({ channels: { ids: [id] }, models: ['m-one'], kinds: ['short'] });
    const kept = await api.results({ params: { id } });
    expect(kept).toHaveLength(4);
    expect(kept[0]).toMatchObject({ outcome: 'failed', problem: 'out-of-credit', message: 'no money' });
    const records = app.ctx.db.writer.selectFrom('usage_record').selectAll();
    expect(await records.where('type', '=', 'consume').execute()).toEqual([]);
  });

  test('tests the channels that a filter matches, without deleted ones', async () => {
    answers(() => whole({ role: 'assistant', content: 'hi' }));
    const [one, two, gone] = [
      await create({ tag: 'pool' }),
      await create({ tag: 'pool' }),
      await create({ tag: 'pool' }),
    ];
    await channelApi().remove({ params: { id: gone } });
    const results = await run({ channels: { filter: { tag: 'pool' } }, models: 'test-model', kinds: ['short'] });
    expect(new Set(results.map(({ channel_id }) => channel_id))).toEqual(new Set([one, two]));
    expect(await run({ channels: { ids: [gone] }, models: 'test-model', kinds: ['short'] })).toEqual([]);
  });

  test('tests channels beside each other, and the models of one after each other', async () => {
    const [one, two] = [await create({ models: ['a', 'b'] }), await create({ models: ['a', 'b'] })];
    let [running, most] = [0, 0];
    let bothRun = (): void => {};
    const both = new Promise<void>((resolve) => {
      bothRun = resolve;
    });
    vendor.handlers[CHAT] = async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) bothRun();
      await both;
      running -= 1;
      return whole({ role: 'assistant', content: 'hi' });
    };
    await run({ channels: { ids: [one, two] }, models: 'all', kinds: ['short'] });
    expect(most).toBe(2);
  });

  test('ends with its connection', async () => {
    const id = await create({ models: ['a', 'b', 'c'] });
    const disconnect = new AbortController();
    let requestCount = 0;
    vendor.handlers[CHAT] = () => {
      requestCount += 1;
      disconnect.abort();
      return 'silence';
    };
    await expect(
      (async () => {
        const plan = { channels: { ids: [id] }, models: 'all', kinds: ['short'] };
        for await (const _ of textOf(await post(plan, disconnect.signal)));
      })(),
    ).rejects.toThrow();
    await expect
      .poll(() => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))))
      .toBeLessThan(3);
    expect(requestCount).toBe(1);
    expect(await api.results({ params: { id } })).toEqual([]);
  });

  test('continues when the secrets of one channel cannot be decrypted', async () => {
    answers(() => whole({ role: 'assistant', content: 'hi' }));
    const [broken, well] = [await create(), await create()];
    const foreign = app.ctx.vault.seal('channel-key', 'channel:0', 'of another row');
    await app.ctx.db.writer.updateTable('channel').set({ key_sealed: foreign }).where('id', '=', broken).execute();
    const results = await run({ channels: { ids: [broken, well] }, models: 'test-model', kinds: ['short'] });
    const of = (id: ChannelId) => results.find(({ channel_id }) => channel_id === id);
    expect(of(broken)).toMatchObject({ outcome: 'failed', problem: 'malformed-key' });
    expect(of(well)?.outcome).toBe('passed');
  });

  test('refuses a run that is too large before it begins, and estimates the cost of a run', async () => {
    const models = Array.from({ length: 300 }, (_, at) => `model-${at}`);
    const id = await create({ models });
    const plan = { channels: { ids: [id] }, models: 'all', kinds: testProbe.options } as const;
    expect((await post(plan)).status).toBe(413);
    const estimate = await api.estimate({
      body: { channels: { ids: [id] }, models: ['m-one', 'model-1'], kinds: ['short', 'refusal'] },
    });
    expect(estimate.requests).toBe(4);
    expect(estimate.unpriced).toBe(2);
    expect(estimate.cost_micro_usd).toBeGreaterThan(0);
  });

  test('leaves its mark in the audit log, and needs the right to write', async () => {
    const entries = await app.ctx.db.writer.selectFrom('audit_entry').select('action').execute();
    expect(entries.some(({ action }) => action === 'channel.test')).toBe(true);
    const user = await app.createUser('user');
    await expect(user.api(channelTests).results({ params: { id: 1 as ChannelId } })).rejects.toMatchObject({
      code: 'not-allowed',
    });
  });
});

describe('a deep check', () => {
  const outcomes = async (changes: Parameters<typeof create>[0] = {}) => {
    const id = await create(changes);
    const results = await run({ channels: { ids: [id] }, models: ['m-one'], kinds: [...deepProbes] });
    return Object.fromEntries(results.map(({ kind, outcome, problem }) => [kind, problem ?? outcome]));
  };
  /** A model that behaves like its name. */
  const honest = (body: Record<string, never>): Reply => {
    const text = JSON.stringify(body['messages']);
    if (body['model'] !== 'm-one') return { status: 404, json: { error: { code: 'model_not_found', message: 'x' } } };
    if (body['stream']) return sse(['one', ' two', ' three']);
    const sum = /(\d+) plus (\d+)/.exec(text);
    if (sum !== null) return whole({ role: 'assistant', content: `${Number(sum[1]) + Number(sum[2])}` });
    if (body['response_format'])
      return whole({ role: 'assistant', content: `{"colour":"red","count":${/(\d+) red/.exec(text)?.[1]}}` });
    if (body['tools']) {
      const call = { name: 'look_up_weather', arguments: '{"city":"Lisbon"}' };
      return whole({ role: 'assistant', content: null, tool_calls: [{ id: 't', type: 'function', function: call }] });
    }
    if (text.includes('image_url')) return whole({ role: 'assistant', content: 'red green blue yellow' });
    return whole({ role: 'assistant', content: 'Hello' });
  };

  test('passes a model that does everything', async () => {
    answers(honest);
    expect(await outcomes()).toEqual(Object.fromEntries(deepProbes.map((kind) => [kind, 'passed'])));
  });

  test('finds out one that answers everything with the same words, under another name', async () => {
    answers((body) =>
      body['stream'] ? sse(['Hello'], false) : whole({ role: 'assistant', content: 'Hello' }, 'other-model-7'),
    );
    expect(await outcomes()).toEqual(Object.fromEntries(deepProbes.map((kind) => [kind, 'wrong-answer'])));
  });

  test('reports the error of a dead channel in every check, even if a refusal is expected', async () => {
    vendor.handlers[CHAT] = () => ({ status: 401, json: { error: { message: 'who are you' } } });
    expect(await outcomes()).toEqual(Object.fromEntries(deepProbes.map((kind) => [kind, 'wrong-key'])));
  });

  test('keeps no key that a vendor puts into its answer or gives as its name', async () => {
    const key = 'Zx81Qp77LmNoPqRsTuVwXyZ0042abcdEFGH';
    answers(() => whole({ role: 'assistant', content: `I know ${key} and ${key.slice(0, 12)}` }, key));
    const id = await create({ key });
    const results = await run({ channels: { ids: [id] }, models: ['m-one'], kinds: [...deepProbes] });
    expect(results.some(({ finding }) => finding?.said.includes('[key]'))).toBe(true);
    for (let at = 0; at + 8 <= key.length; at += 1)
      expect(JSON.stringify(results)).not.toContain(key.slice(at, at + 8));
  });

  test('skips probes of capabilities that the channel is declared to lack', async () => {
    answers(honest);
    expect(await outcomes({ lacks: ['images', 'tools', 'structured-output', 'streaming'] })).toMatchObject({
      image: 'not-applicable',
      tool: 'not-applicable',
      json: 'not-applicable',
      pieces: 'not-applicable',
      answer: 'passed',
    });
  });
});

describe('a short test requests the operation of a model', () => {
  const cases: readonly (readonly [string, string, Reply])[] = [
    ['flux-2-pro', 'POST /v1/images/generations', { json: { data: [{ b64_json: 'aGk=' }] } }],
    ['whisper-1', 'POST /v1/audio/transcriptions', { json: { text: '' } }],
    [
      'tts-1',
      'POST /v1/audio/speech',
      { headers: { 'content-type': 'audio/mpeg' }, text: Buffer.from([0xff, 0xfb, 0, 0]) },
    ],
    ['text-embedding-3-small', 'POST /v1/embeddings', { json: { data: [{ index: 0, embedding: [0.5] }] } }],
    ['rerank-v3.5', 'POST /v1/rerank', { json: { results: [{ index: 0, relevance_score: 0.5 }] } }],
    ['omni-moderation-latest', 'POST /v1/moderations', { json: { results: [{ flagged: false }] } }],
    ['gpt-3.5-turbo-instruct', 'POST /v1/completions', { json: { choices: [{ text: 'hi' }] } }],
  ];
  test.each(cases)('%s by %s', async (model, route, reply) => {
    vendor.overrideReply(route, () => reply);
    const id = await create({ models: [model] });
    const before = vendor.asked.length;
    const [result] = await run({ channels: { ids: [id] }, models: [model], kinds: ['short'] });
    vendor.resetReplies();
    expect(result).toMatchObject({ outcome: 'passed', problem: null });
    expect(vendor.asked.slice(before)).toEqual([route]);
  });

  test.each(['sora-2', 'gpt-realtime', 'suno_music', 'mj_imagine'])(
    '%s is not tested, with the reason',
    async (model) => {
      const id = await create({ models: [model] });
      const before = vendor.asked.length;
      const [result] = await run({ channels: { ids: [id] }, models: [model], kinds: ['short'] });
      expect(result).toMatchObject({ outcome: 'not-applicable', finding: { code: 'no-cheap-test' } });
      expect(await channelApi().test({ params: { id } })).toMatchObject({ success: false, problem: 'not-tested' });
      expect(vendor.asked).toHaveLength(before);
    },
  );

  test('a mapped model is tested as its upstream model, and an unclear name has no verdict', async () => {
    vendor.overrideReply(CHAT, () => ({ status: 404, json: { error: { message: 'This is not a chat model.' } } }));
    vendor.overrideReply('POST /v1/images/generations', () => ({ json: { data: [{ b64_json: 'aGk=' }] } }));
    const id = await create({ models: ['house-image', 'house-7'], model_mapping: { 'house-image': 'flux-2-pro' } });
    const results = await run({ channels: { ids: [id] }, models: 'all', kinds: ['short'] });
    vendor.resetReplies();
    expect(results.map(({ outcome, finding }) => [outcome, finding?.code])).toEqual([
      ['passed', undefined],
      ['not-applicable', 'other-endpoint'],
    ]);
  });
});
