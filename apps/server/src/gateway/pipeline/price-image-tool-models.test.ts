/** Charges for models that ran within an answer beside the one that was asked for. */
import { apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { NANO_POINTS_PER_POINT as POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { UsageDetail } from '../../ledger/ledger.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';
import { startStreamingUpstream } from '../../testing/streaming-upstream.ts';

const OPENAI = 1;
const ANTHROPIC = 14;
const text = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const image_gen = { input_tokens: 5, output_tokens: 100, total_tokens: 105 };
const picture = {
  type: 'image_generation_call',
  id: 'ig',
  status: 'completed',
  result: 'QQ==',
  size: '1024x1024',
  quality: 'low',
};

const plainSetting = apiKeySetting.parse({});
const onlyTalker = { enabled: true, models: ['talker'] };

let scene: RelayScene;
/** Points that were held when the vendor was asked. */
let held = 0;
let answer: Record<string, unknown> = {};
let sent: { tools?: { model?: string }[] } = {};
let vendor: TestVendor;

beforeAll(async () => {
  scene = await startRelayScene();
  vendor = await startTestVendor({}, async ({ body }) => {
    const [row] = await scene.ctx.db.writer.selectFrom('hold').select('amount').execute();
    held = row?.amount ?? 0;
    sent = JSON.parse(body);
    return { json: { id: 'resp', object: 'response', status: 'completed', model: 'm', output: [], ...answer } };
  });
  await scene.newChannel({
    type: OPENAI,
    base_url: vendor.url,
    models: ['talker'],
    model_mapping: { 'picture-alias': 'picture-deployed', 'picture-billed': '+picture-elsewhere' },
  });
  await removeShippedPrices(scene.admin, ['gpt-image-1']);
  const list: [model: string, own: Partial<Record<string, number>>, images?: Record<string, number>][] = [
    ['talker', { input: 1, output: 10 }],
    ['streamer*', { input: 1, output: 10 }],
    ['picture-1', { input: 2, output: 20, imageOutput: 30 }],
    ['picture-deployed', { input: 3, output: 30 }],
    ['picture-billed', { input: 4, output: 40 }],
    ['gpt-image-1', { input: 5, output: 50 }],
    ['picture-sized', { input: 0, output: 0 }, { '1024x1024/low': 70, '1024x1024': 90 }],
  ];
  for (const [model, own, images = {}] of list) {
    const inPoints = (all: object) =>
      Object.fromEntries(Object.entries(all).map(([name, points]) => [name, points * POINT]));
    await scene.admin
      .api(prices)
      .create({ body: { model, rates: rates.parse(inPoints(own)), image_rates: inPoints(images) } });
  }
});
afterAll(async () => {
  await vendor.close();
  await scene.close();
});

async function ask(tool: object, given: Record<string, unknown>, key = scene.key, more: object = {}) {
  answer = given;
  const body = { model: 'talker', input: 'Draw.', tools: [{ type: 'image_generation', ...tool }], ...more };
  const response = await scene.post('/v1/responses', body, { key });
  await response.text();
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  const { receipt }: UsageDetail = JSON.parse(record.detail);
  return { record, dropped: response.headers.get('x-switchyard-dropped'), lines: receipt?.lines ?? [] };
}

describe('images of a tool', () => {
  const reported = { output: [picture], usage: text, tool_usage: { image_gen } };

  test.each([
    ['named by the request', { model: 'picture-1' }, reported, 5 * 2 + 100 * 30, 'picture-1'],
    ['mapped by the channel', { model: 'picture-alias' }, reported, 5 * 3 + 100 * 30, 'picture-deployed'],
    ['mapped, but billed as asked', { model: 'picture-billed' }, reported, 5 * 4 + 100 * 40, 'picture-elsewhere'],
    ['left to the vendor', {}, reported, 5 * 5 + 100 * 50, undefined],
    [
      'named by the response alone',
      {},
      { ...reported, tools: [{ type: 'image_generation', model: 'picture-1' }] },
      5 * 2 + 100 * 30,
      undefined,
    ],
    [
      'the default, if the response names one without a price of images',
      {},
      { ...reported, tools: [{ type: 'image_generation', model: 'picture-billed' }] },
      5 * 5 + 100 * 50,
      undefined,
    ],
    ['priced by the image', { model: 'picture-sized' }, reported, 70, 'picture-sized'],
    [
      'without a report, by size and quality',
      { model: 'picture-1' },
      { output: [picture], usage: text },
      272 * 30,
      'picture-1',
    ],
    [
      'without a report, by the area of a large image',
      { model: 'picture-1' },
      { output: [{ ...picture, size: '2048x2048' }], usage: text },
      4 * 272 * 30,
      'picture-1',
    ],
    [
      'priced by the image, without a report',
      { model: 'picture-sized' },
      { output: [picture], usage: text },
      70,
      'picture-sized',
    ],
  ])('are charged at the price of the model that is %s', async (_what, tool, given, points, upstream) => {
    const { record, lines, dropped } = await ask(tool, given);
    expect(record.quota).toBe(10 + 2 * 10 + points);
    expect(lines.filter(({ model }) => model === undefined)).toHaveLength(2);
    expect(sent.tools?.[0]?.model).toBe(upstream);
    expect(dropped).toBeNull();
  });

  test('leaves out a model that the token may not use', async () => {
    const key = await scene.newKey({
      unlimited_quota: true,
      setting: { ...plainSetting, limits: { ...plainSetting.limits, limit_model_setting: onlyTalker } },
    });
    const { record, dropped } = await ask({ model: 'picture-1' }, reported, key);
    expect(sent.tools?.[0]?.model).toBeUndefined();
    expect(dropped).toBe('tools.model');
    expect(record.quota).toBe(30 + 5 * 5 + 100 * 50);
  });

  test('leaves out a model that channels offer to other groups only', async () => {
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['picture-deployed'], group: ['vip'] });
    const { record, dropped } = await ask({ model: 'picture-deployed' }, reported);
    expect(sent.tools?.[0]?.model).toBeUndefined();
    expect(dropped).toBe('tools.model');
    expect(record.quota).toBe(30 + 5 * 5 + 100 * 50);
  });

  test('count in the tokens of the record', async () => {
    const { record } = await ask({ model: 'picture-1' }, reported);
    expect([record.prompt_tokens, record.completion_tokens]).toEqual([15, 102]);
  });

  test('holds the price of an image by size and quality before the vendor is asked', async () => {
    const holdFor = async (tool: object): Promise<number> => {
      await ask(tool, reported);
      return held;
    };
    const small = await holdFor({ model: 'picture-1', quality: 'low', size: '1024x1024' });
    expect(small).toBeGreaterThan(272 * 30);
    const large = await holdFor({ model: 'picture-1', quality: 'high', size: '1536x1024' });
    const chosen = await holdFor({ model: 'picture-1' });
    const sized = await holdFor({ model: 'picture-sized' });
    // The words of the tool are a few tokens of the prompt.
    expect(Math.abs(large - small - (6_240 - 272) * 30)).toBeLessThan(20);
    expect(Math.abs(chosen - large)).toBeLessThan(20);
    expect(Math.abs(sized - small + 272 * 30 - 90)).toBeLessThan(20);
  });

  test.each([
    ['picture-1', 272 * 30],
    ['picture-sized', 70],
  ])('holds the price of all images of %s that the request allows', async (model, points) => {
    const tool = { model, quality: 'low', size: '1024x1024' };
    await ask(tool, reported);
    const one = held;
    await ask(tool, reported, scene.key, { max_tool_calls: 5 });
    expect(Math.abs(held - one - 4 * points)).toBeLessThan(20);
  });
});

describe('images of a tool in a stream that breaks off', () => {
  const sse = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  const preview = (item_id: string, size: number) => ({
    type: 'response.image_generation_call.partial_image',
    item_id,
    size: '1024x1024',
    quality: 'low',
    partial_image_b64: 'A'.repeat(size),
  });
  const done = (id: string, size: number) => ({
    type: 'response.output_item.done',
    output_index: 0,
    item: { ...picture, id, result: 'A'.repeat(size) },
  });

  test.each([
    ['the client leaves after a preview', 'client', [preview('a', 400_000)], 1],
    ['the client leaves after a small preview', 'client', [preview('a', 4)], 1],
    ['the upstream breaks off after a preview', 'upstream', [preview('a', 400_000)], 1],
    ['the upstream breaks off after previews of two images', 'upstream', [preview('a', 4), preview('b', 4)], 2],
    [
      'the upstream breaks off after an image and a preview',
      'upstream',
      [preview('a', 4_000), done('a', 400_000), preview('b', 4_000)],
      2,
    ],
  ] as const)('are charged by the image, and not as text, if %s', async (_what, side, events, images) => {
    let breakOff = (): void => {};
    const upstream = await startStreamingUpstream(async (response) => {
      for (const event of events) response.write(sse(event));
      await new Promise<void>((resolve) => {
        breakOff = resolve;
      });
      response.destroy();
    });
    onTestFinished(() => upstream.close());
    const model = `streamer-${upstream.url.split(':').at(-1)}`;
    await scene.newChannel({ type: OPENAI, base_url: upstream.url, models: [model] });
    const leaving = new AbortController();
    const tools = [{ type: 'image_generation', model: 'picture-sized', partial_images: 2 }];
    const body = { model, input: 'Draw.', stream: true, tools };
    const response = await scene.post('/v1/responses', body, { signal: leaving.signal });
    await response.body?.getReader().read();
    if (side === 'client') {
      const left = scene.waitForDisconnect();
      leaving.abort();
      await left;
    }
    breakOff();
    await scene.waitUntilSettled();
    const record = (await scene.records()).at(-1);
    expect(record).toMatchObject({ model, type: 'consume' });
    expect(record?.prompt_tokens).toBeGreaterThan(10);
    expect(record?.quota).toBe((record?.prompt_tokens ?? 0) + images * 70);
  });
});

test('a vendor’s report of another model family or of unrequested images is ignored', async () => {
  await scene.newChannel({ type: ANTHROPIC, base_url: vendor.url, models: ['claude-small'] });
  const priceOf = (model: string, points: number) =>
    scene.admin.api(prices).create({ body: { model, rates: rates.parse({ input: points * POINT, output: 0 }) } });
  await priceOf('claude-small', 1);
  await priceOf('claude-large', 7);
  await priceOf('picture-dear', 1_000);
  const chargeFor = async (
    path: string,
    body: object,
    given: Record<string, unknown>,
    key = scene.key,
  ): Promise<number> => {
    answer = given;
    await (await scene.post(path, body, { key })).text();
    await scene.waitUntilSettled();
    return (await scene.records()).at(-1)?.quota ?? 0;
  };
  const message = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
  };
  const advised = (model: string): Record<string, unknown> => ({
    ...message,
    usage: {
      input_tokens: 100,
      output_tokens: 1,
      iterations: [
        { type: 'message', model: 'claude-small', input_tokens: 100, output_tokens: 1 },
        { type: 'advisor_message', model, input_tokens: 1_000, output_tokens: 1_000 },
      ],
    },
  });
  const runs = ['claude-small', 'claude-large', 'picture-dear'].map((model) => ({ model, input_tokens: 100 }));
  const ask = { model: 'claude-small', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
  const usage = { input_tokens: 100, output_tokens: 1, iterations: runs };
  expect(await chargeFor('/v1/messages', ask, { ...message, usage })).toBe(100 + 700 + 100);
  for (const model of ['claude-unlisted', 'picture-dear', 'unlisted', ' '])
    expect(await chargeFor('/v1/messages', ask, advised(model)), model).toBe(1_100);
  const limits = { ...plainSetting.limits, limit_model_setting: { enabled: true, models: ['claude-small'] } };
  const limited = await scene.newKey({ unlimited_quota: true, setting: { ...plainSetting, limits } });
  expect(await chargeFor('/v1/messages', ask, advised('claude-large'))).toBe(7_100);
  expect(await chargeFor('/v1/messages', ask, advised('claude-large'), limited)).toBe(1_100);
  const output = Array.from({ length: 500 }, (_, nth) => ({ ...picture, id: `ig_${nth}` }));
  const charged = await chargeFor('/v1/responses', { model: 'talker', input: 'Hi' }, { output, usage: text });
  expect(charged).toBeLessThanOrEqual(30 + 10 * 272 * 50);
});

test('runs are charged in the tiers of their own prompts, at one price per call for each model', async () => {
  const alias = { 'tiered-alias': '+claude-tiered' };
  const models = ['claude-tiered', 'tiered-alias', 'claude-per-call'];
  await scene.newChannel({ type: ANTHROPIC, base_url: vendor.url, models, model_mapping: alias });
  const api = scene.admin.api(prices);
  const pricedAt = (input: number) => rates.parse({ input: input * POINT, output: 0 });
  const tiers = [{ above: 200_000, rates: pricedAt(2) }];
  const input = { ...pricedAt(1), webSearch: 5_000 * POINT };
  await api.create({ body: { model: 'claude-tiered', rates: input, tiers } });
  await api.create({ body: { model: 'tiered-alias', rates: pricedAt(3), tiers: [] } });
  await api.create({ body: { model: 'claude-advisor', rates: pricedAt(1), tiers } });
  await api.create({ body: { model: 'claude-per-call', type: 'times', rates: pricedAt(700) } });
  const chargeFor = async (model: string, iterations: object[], searches = 0): Promise<number> => {
    const content = [{ type: 'text', text: 'Hi' }];
    const usage = { input_tokens: 1, iterations, server_tool_use: { web_search_requests: searches } };
    answer = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage };
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const messages = [{ role: 'user', content: 'word '.repeat(30_000) }];
    await (await scene.post('/v1/messages', { model, max_tokens: 100, messages, tools })).text();
    await scene.waitUntilSettled();
    return (await scene.records()).at(-1)?.quota ?? 0;
  };
  const search = { type: 'message', input_tokens: 200, cache_read_input_tokens: 50_000, output_tokens: 9 };
  expect(
    await chargeFor(
      'claude-tiered',
      Array.from({ length: 5 }, () => search),
      4,
    ),
  ).toBe(5 * 50_200 + 4 * 5_000);
  const compaction = { type: 'compaction', input_tokens: 210_000, output_tokens: 9 };
  const message = { type: 'message', model: 'claude-tiered', input_tokens: 23_000, output_tokens: 9 };
  expect(await chargeFor('claude-tiered', [compaction, message])).toBe(2 * 210_000 + 23_000);
  expect(await chargeFor('tiered-alias', [compaction, message])).toBe(3 * 233_000);
  expect(await chargeFor('claude-per-call', [compaction, message])).toBe(700);
  const advice = { type: 'advisor_message', model: 'claude-advisor', input_tokens: 150_000, output_tokens: 9 };
  const longAdvice = { ...advice, input_tokens: 1_000, cache_read_input_tokens: 200_000 };
  expect(await chargeFor('claude-tiered', [message, advice, advice])).toBe(23_000 + 2 * 150_000);
  expect(await chargeFor('claude-tiered', [message, advice, longAdvice])).toBe(23_000 + 150_000 + 2 * 201_000);
  const perCall = { ...advice, model: 'claude-per-call', input_tokens: 1_000 };
  expect(await chargeFor('claude-tiered', [message, perCall, perCall])).toBe(23_000 + 700);
  const unlisted = { ...advice, model: 'claude-unlisted', input_tokens: 1_000 };
  expect(await chargeFor('claude-per-call', [message, unlisted])).toBe(700);
});
