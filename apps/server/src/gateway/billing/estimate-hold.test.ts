import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { users } from '@switchyard/contract/accounts/users';
import { NANO_POINTS_PER_POINT } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { settings } from '@switchyard/contract/operations/settings';
import { quote } from '@switchyard/contract/playground/quote';
import { emptyUsage, type TokenCounterName, tokenCounters } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { priceCall, RATIO_ONE } from '../../ledger/ledger.ts';
import { ANTHROPIC, OPENAI_COMPATIBLE, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import type { SignedInUser } from '../../testing/start-test-app.ts';

const WORDS = 4_000;
const text = 'word '.repeat(WORDS);
const image = { type: 'image_url', image_url: { url: 'https://pictures.test/one.png', detail: 'high' } };
const CLAUDE = 'claude-opus-4-1';
const ALI = 17;
const QWEN = 'qwen-held';
const held = ['all', 'without-images', 'nothing'] as const;

let scene: RelayScene;
const ids = new Map<string, number>();

beforeAll(async () => {
  scene = await startRelayScene();
  const rates = { input: NANO_POINTS_PER_POINT, output: NANO_POINTS_PER_POINT };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: 'scripted*', rates }) });
  await scene.admin
    .api(prices)
    .create({ body: savePrice.parse({ model: 'scripted-free*', rates: { input: 0, output: 0 } }) });
  await scene.newChannel({ type: ANTHROPIC, models: [CLAUDE], held_prompt: 'nothing' });
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: CLAUDE, rates }) });
  await scene.newChannel({ type: ALI, models: [QWEN], held_prompt: 'nothing' });
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: QWEN, rates }) });
  for (const held_prompt of held) {
    const models = [`scripted+${held_prompt}*`, `scripted-free+${held_prompt}`];
    ids.set(held_prompt, await scene.newChannel({ models, held_prompt }));
  }
});
afterAll(() => scene.close());

const heldFor = async (model: string, content: unknown, more: object = {}): Promise<number> => {
  const request = { model, max_tokens: 10, messages: [{ role: 'user', content }], ...more };
  const answer = await scene.user.api(quote).ask({ body: { request } });
  return answer.offer?.hold ?? Number.NaN;
};

describe('the hold for a prompt', () => {
  test('holds all of a prompt, all but its images, or none of it, as the channel is configured', async () => {
    const [all, words, nothing] = await Promise.all(
      held.map((mode) => heldFor(`scripted+${mode}`, [{ type: 'text', text }, image])),
    );
    const without = await heldFor('scripted+all', [{ type: 'text', text }]);
    expect(words).toBeGreaterThanOrEqual(without);
    expect(all).toBeGreaterThan((words ?? 0) + 80);
    expect(nothing).toBe(500);
  });

  test('holds at least the minimum, and at least one point unless the request is free', async () => {
    const setMinimum = (value: string) =>
      scene.admin.api(settings).update({ body: { key: 'PreConsumedQuota', value } });
    await setMinimum('0');
    const nothing = await heldFor('scripted+nothing', text, { max_tokens: 1 });
    await setMinimum('500');
    expect(nothing).toBeGreaterThanOrEqual(1);
    expect(await heldFor('scripted+nothing', 'hi', { max_tokens: 2_000 })).toBe(2_000);
    expect(await heldFor('scripted-free+nothing', text)).toBe(0);
  });
});

test.each([
  [{ max_tokens: 16, reasoning_effort: 'high' }, 24_592],
  [{ max_tokens: 16 }, 16],
  [{ max_tokens: undefined }, 1_000],
])('holds the output cap that the gateway sends to Claude: %j', async (more, cap) => {
  const request = { model: CLAUDE, messages: [{ role: 'user', content: 'hi' }], ...more };
  const { offer, output_tokens } = await scene.user.api(quote).ask({ body: { request } });
  expect([output_tokens, offer?.hold]).toEqual([cap, Math.max(cap, 500)]);
});

test.each([
  [{ max_tokens: 16, enable_thinking: true, thinking_budget: 30_000 }, 30_016],
  [{ max_tokens: 16, enable_thinking: true }, 8_208],
  [{ max_tokens: undefined, enable_thinking: true, thinking_budget: 4_000 }, 5_000],
  [{ max_tokens: 16, enable_thinking: false }, 16],
])('holds the reasoning that a Qwen model may add to its output cap: %j', async (more, output) => {
  // Refills the rate limit of quotes.
  scene.clock.advance(60);
  const request = { model: QWEN, messages: [{ role: 'user', content: 'hi' }], ...more };
  const { offer, output_tokens } = await scene.user.api(quote).ask({ body: { request } });
  expect([output_tokens, offer?.hold]).toEqual([output, Math.max(output, 500)]);
});

test.each(held)('the charge without reported usage is of the whole prompt, with %s held', async (mode) => {
  const response = await scene.chat(`scripted+${mode}+no-usage`, {
    messages: [{ role: 'user', content: text }],
    max_tokens: 10,
  });
  expect(response.status).toBe(200);
  await response.text();
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  expect(record?.channel_id).toBe(ids.get(mode));
  expect(record?.quota).toBeGreaterThan(WORDS * 0.8);
});

test('the next channel’s own estimate is held before it is asked', async () => {
  const model = 'scripted+both+tokens-30+drip-20ms';
  await scene.newChannel({ models: [model], priority: 2, held_prompt: 'nothing' });
  await scene.newChannel({ models: [model], priority: 1, held_prompt: 'all' });
  let calls = 0;
  scene.upstream.setScript(() => {
    calls += 1;
    return calls === 1 ? { status: 500 } : undefined;
  });
  const answering = scene.chat(model, { stream: true, messages: [{ role: 'user', content: text }] });
  const most = async () => {
    const rows = await scene.ctx.db.writer.selectFrom('hold').select('amount').execute();
    return Math.max(0, ...rows.map(({ amount }) => amount));
  };
  await expect.poll(most).toBeGreaterThan(WORDS * 0.8);
  expect(await (await answering).text()).toContain('[DONE]');
  scene.upstream.setScript(undefined);
  await scene.waitUntilSettled();
  expect(calls).toBe(2);
});

const POINT = NANO_POINTS_PER_POINT;
/** Rates in points of the counters that text alone does not use. */
const DEAR = { cacheWrite5m: 2, cacheWrite1h: 3, imageInput: 5, audioInput: 7, imageOutput: 11, audioOutput: 13 };
const SEARCH_POINTS = 5_000;
const recording = { type: 'input_audio', input_audio: { data: 'AAAA'.repeat(8_000), format: 'mp3' } };
const marked = (ttl: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl } }];

describe('the hold for a request that uses more than plain text', () => {
  beforeAll(async () => {
    const dear = Object.fromEntries(Object.entries(DEAR).map(([name, points]) => [name, points * POINT]));
    const save = (model: string, own: object) =>
      scene.admin
        .api(prices)
        .create({ body: savePrice.parse({ model, rates: { input: POINT, output: POINT, ...own } }) });
    const { imageOutput: _, ...undrawn } = dear;
    await save('scripted-dear', undrawn);
    await save('scripted-draws', dear);
    await save('scripted-thinks', { reasoning: 4 * POINT });
    await save('scripted-seeks', { webSearch: SEARCH_POINTS * POINT, fileSearch: POINT });
    await save('scripted-free-seeks', { input: 0, output: 0, webSearch: SEARCH_POINTS * POINT });
    await save('gpt-scripted', undrawn);
    await scene.newChannel({ models: ['scripted-dear', 'scripted-draws', 'scripted-thinks'] });
    await scene.newChannel({ models: ['scripted-seeks', 'scripted-free-seeks', 'gpt-scripted'] });
  });

  const tokensOf = async (content: unknown): Promise<number> => {
    const request = { model: 'scripted-dear', messages: [{ role: 'user', content }] };
    return (await scene.user.api(quote).ask({ body: { request } })).input_tokens;
  };

  test.each<[what: string, model: string, content: unknown, factor: number]>([
    ['plain text at the rate of input', 'scripted-dear', text, 1],
    ['a five-minute cache mark', 'scripted-dear', marked('5m'), DEAR.cacheWrite5m],
    ['a one-hour cache mark', 'scripted-dear', marked('1h'), DEAR.cacheWrite1h],
    ['a prompt that the vendor writes to its cache by itself', 'gpt-scripted', text, DEAR.cacheWrite5m],
  ])('prices the prompt of %s', async (_what, model, content, factor) => {
    const output = 1_000;
    const hold = await heldFor(model, content, { max_tokens: output });
    // The fields around a changed prompt are tokens, too.
    expect(Math.abs(hold - output - factor * (await tokensOf(content)))).toBeLessThanOrEqual(factor * 8);
  });

  test.each<[what: string, part: object, rate: number]>([
    ['an image', image, DEAR.imageInput],
    ['a recording', recording, DEAR.audioInput],
  ])('prices only the tokens of %s at their rate', async (_what, part, rate) => {
    const words = { type: 'text', text };
    const added = (await tokensOf([words, part])) - (await tokensOf([words]));
    const more = (await heldFor('scripted-dear', [words, part])) - (await heldFor('scripted-dear', [words]));
    expect(more).toBeGreaterThan(added * rate * 0.8);
    expect(more).toBeLessThanOrEqual(added * rate);
  });

  test.each<[what: string, model: string, more: object, rate: number]>([
    ['requests nothing but text', 'scripted-dear', {}, 1],
    ['requests audio', 'scripted-dear', { modalities: ['text', 'audio'] }, DEAR.audioOutput],
    ['requests images', 'scripted-draws', { modalities: ['text', 'image'] }, DEAR.imageOutput],
    ['leaves its output to a model that draws', 'scripted-draws', {}, DEAR.imageOutput],
    ['requests text of a model that draws', 'scripted-draws', { modalities: ['text'] }, 1],
    ['may reason at a rate of its own', 'scripted-thinks', {}, 4],
  ])('prices the output when the request %s', async (_what, model, more, rate) => {
    const of = (max_tokens: number) => heldFor(model, 'hi', { max_tokens, ...more });
    expect((await of(3_000)) - (await of(2_000))).toBe(1_000 * rate);
  });

  test.each<[what: string, model: string, more: object, points: number]>([
    ['no tool', 'scripted-free-seeks', {}, 0],
    ['a search beside free tokens', 'scripted-free-seeks', { web_search_options: {} }, SEARCH_POINTS],
    [
      'the calls that the request allows',
      'scripted-free-seeks',
      { tools: [{ type: 'web_search', max_uses: 4 }] },
      4 * SEARCH_POINTS,
    ],
    ['a merged tool', 'scripted-free-seeks', { extra_body: { tools: [{ type: 'web_search' }] } }, SEARCH_POINTS],
    ['a merged switch', 'scripted-free-seeks', { extra_body: { enable_search: true } }, SEARCH_POINTS],
    ['a switch of Baidu', 'scripted-free-seeks', { web_search: { enable: true } }, SEARCH_POINTS],
    [
      'a tool of Google with a name',
      'scripted-free-seeks',
      { tools: [{ name: 'x', googleSearch: {} }] },
      SEARCH_POINTS,
    ],
    [
      'at most the plausible calls',
      'scripted-free-seeks',
      { tools: [{ type: 'web_search' }], max_tool_calls: 1_000 },
      25 * SEARCH_POINTS,
    ],
    ['a search that the price has no rate for', 'scripted-free+all', { web_search_options: {} }, 0],
  ])('includes the dearest tool of the vendor: %s', async (_what, model, more, points) => {
    expect(await heldFor(model, 'hi', more)).toBe(points);
  });

  test('adds a tool to the tokens', async () => {
    const plain = await heldFor('scripted-seeks', text);
    const tools = [{ type: 'web_search' }];
    expect(await heldFor('scripted-seeks', text, { tools })).toBeGreaterThanOrEqual(plain + SEARCH_POINTS);
  });
});

interface Features {
  cache: '5m' | '1h' | undefined;
  hasImage: boolean;
  hasAudio: boolean;
  modalities: readonly ('text' | 'audio' | 'image')[] | undefined;
}

/** Counters as which a vendor may bill the text, the image, the recording and the output of such a request. */
function listCounters({ cache, modalities = ['text', 'image'] }: Features): TokenCounterName[][] {
  const writes: TokenCounterName[] = cache === undefined ? [] : ['cacheWrite5m'];
  if (cache === '1h') writes.push('cacheWrite1h');
  const outputs: TokenCounterName[] = ['output', 'reasoning'];
  if (modalities.includes('audio')) outputs.push('audioOutput');
  if (modalities.includes('image')) outputs.push('imageOutput');
  return [['input', ...writes], ['input', 'imageInput', ...writes], ['input', 'audioInput', ...writes], outputs];
}

test('holds the charge for the estimated tokens, whichever of the possible kinds the vendor reports', async () => {
  const model = 'scripted-any';
  const count = fc.nat({ max: 9 * POINT });
  const own = fc.record(Object.fromEntries(tokenCounters.map((counter) => [counter, count])));
  const features: fc.Arbitrary<Features> = fc.record({
    cache: fc.constantFrom('5m', '1h', undefined),
    hasImage: fc.boolean(),
    hasAudio: fc.boolean(),
    modalities: fc.option(fc.subarray(['text', 'audio', 'image'], { minLength: 1 }), { nil: undefined }),
  });
  const choices = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
  await scene.newChannel({ models: [model] });
  await scene.admin.api(prices).create({ body: savePrice.parse({ model, rates: { input: 0, output: 0 } }) });
  await fc.assert(
    fc.asyncProperty(own, features, choices, async (rates, asked, chosen) => {
      const body = savePrice.parse({ model, rates });
      // Refills the rate limit of quotes.
      scene.clock.advance(10);
      await scene.admin.api(prices).update({ params: { model }, body });
      const words = asked.cache === undefined ? { type: 'text', text } : marked(asked.cache)[0];
      const ask = async (content: unknown) => {
        const more = asked.modalities === undefined ? {} : { modalities: asked.modalities };
        const request = { model, max_tokens: 700, messages: [{ role: 'user', content }], ...more };
        return scene.user.api(quote).ask({ body: { request } });
      };
      const withImage = asked.hasImage ? [words, image] : [words];
      const asks = await Promise.all([
        ask([words]),
        ask(withImage),
        ask(asked.hasAudio ? [...withImage, recording] : withImage),
      ]);
      const [first = 0, second = 0, third = 0] = asks.map((answer) => answer.input_tokens);
      const usage = emptyUsage();
      // A part has some tokens of text around it, which are not billed as image or audio.
      const tokens = [first, (second - first) * 0.8, (third - second) * 0.8, 700].map(Math.floor);
      for (const [nth, counters] of listCounters(asked).entries()) {
        const counter = counters[(chosen[nth] ?? 0) % counters.length];
        if (counter !== undefined) usage[counter] += tokens[nth] ?? 0;
      }
      const rule = { ...body, version: 1 };
      const { points } = priceCall(rule, { group: RATIO_ONE, key: RATIO_ONE }, usage);
      expect(asks[2]?.offer?.hold).toBeGreaterThanOrEqual(points);
    }),
    { numRuns: 30 },
  );
});

interface Crowd {
  what: string;
  path: '/v1/messages' | '/v1/chat/completions';
  model: string;
  rates: object;
  body: object;
  /** Response of the vendor, which bills all that is held. */
  reply: (inputTokens: number) => object;
  balance: number;
}

const MAX_OUTPUT = 1_000;
const LONG_OUTPUT = 32_000;
const LONG_PROMPT = 100_000;
const OUTPUT = { max_tokens: MAX_OUTPUT };
const spoken = { prompt_tokens: 1, completion_tokens: MAX_OUTPUT };
const chatReply = (usage: object) => ({
  id: 'chat_1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage,
});
const crowds: readonly Crowd[] = [
  {
    what: 'one-hour cache writes',
    path: '/v1/messages',
    model: 'crowd-writes',
    rates: { input: POINT, output: POINT, cacheWrite1h: 20 * POINT },
    body: { ...OUTPUT, messages: [{ role: 'user', content: marked('1h') }] },
    reply: (written) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 0,
        output_tokens: MAX_OUTPUT,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_1h_input_tokens: written, ephemeral_5m_input_tokens: 0 },
      },
    }),
    balance: 300_000,
  },
  {
    what: 'audio output',
    path: '/v1/chat/completions',
    model: 'crowd-speaks',
    rates: { input: POINT, output: POINT, audioOutput: 30 * POINT },
    body: {
      ...OUTPUT,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      messages: [{ role: 'user', content: 'hi' }],
    },
    reply: () => chatReply({ ...spoken, completion_tokens_details: { audio_tokens: MAX_OUTPUT } }),
    balance: 100_000,
  },
  {
    what: 'searches beside free tokens',
    path: '/v1/chat/completions',
    model: 'crowd-seeks',
    rates: { input: 0, output: 0, webSearch: SEARCH_POINTS * POINT },
    body: { web_search_options: {}, messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, server_tool_use: { web_search_requests: 1 } }),
    balance: 3 * SEARCH_POINTS,
  },
  {
    what: 'searches of an account without points',
    path: '/v1/chat/completions',
    model: 'crowd-seeks',
    rates: {},
    body: { web_search_options: {}, messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, server_tool_use: { web_search_requests: 10 } }),
    balance: 0,
  },
  {
    what: 'chats with a model whose price is per image',
    path: '/v1/chat/completions',
    model: 'crowd-draws',
    rates: { input: 0, output: 0, image: 20_000 * POINT },
    body: { messages: [{ role: 'user', content: 'A cat.' }] },
    reply: () => chatReply(spoken),
    balance: 50_000,
  },
  {
    what: 'long responses to requests without an output limit',
    path: '/v1/chat/completions',
    model: 'crowd-tells',
    rates: { input: POINT, output: POINT },
    body: { messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, completion_tokens: LONG_OUTPUT }),
    balance: LONG_OUTPUT + 900,
  },
  {
    what: 'several choices without an output limit',
    path: '/v1/chat/completions',
    model: 'crowd-chooses',
    rates: { input: POINT, output: POINT },
    body: { n: 2, messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, completion_tokens: LONG_OUTPUT }),
    balance: LONG_OUTPUT + 2_000,
  },
  {
    what: 'an output limit that servers take for none',
    path: '/v1/chat/completions',
    model: 'crowd-omits',
    rates: { input: POINT, output: POINT },
    body: { max_tokens: 0, messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, completion_tokens: LONG_OUTPUT }),
    balance: LONG_OUTPUT + 900,
  },
  {
    what: 'searches that read long pages',
    path: '/v1/chat/completions',
    model: 'crowd-reads',
    rates: { input: POINT, output: POINT },
    body: { ...OUTPUT, web_search_options: {}, messages: [{ role: 'user', content: 'hi' }] },
    reply: () => chatReply({ ...spoken, prompt_tokens: LONG_PROMPT }),
    balance: LONG_PROMPT + MAX_OUTPUT,
  },
];

const CALLERS = 20;

test.each(crowds)('concurrent requests cannot overdraw a balance: $what', async (crowd) => {
  const { path, model, body, balance } = crowd;
  if (Object.keys(crowd.rates).length > 0)
    await scene.admin.api(prices).create({ body: savePrice.parse({ model, rates: crowd.rates }) });
  let requests = 0;
  let refusals = 0;
  let inputTokens = 0;
  const opened = Promise.withResolvers<void>();
  const count = (): void => {
    if (requests + refusals === CALLERS) opened.resolve();
  };
  const vendor = await startTestVendor({}, async () => {
    requests += 1;
    count();
    await opened.promise;
    return { json: crowd.reply(inputTokens) };
  });
  const type = path === '/v1/messages' ? ANTHROPIC : OPENAI_COMPATIBLE;
  await scene.newChannel({ type, base_url: vendor.url, models: [model], priority: 9 });
  const user: SignedInUser = await scene.createUser('user', { quota: balance });
  const { key } = await user.api(apiKeys).create({ body: { name: 'crowd', unlimited_quota: true } });
  const request = { model, ...body };
  inputTokens = (await user.api(quote).ask({ body: { path, request } })).input_tokens;
  const statuses = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const response = await scene.post(path, request, { key });
      if (!response.ok) refusals += 1;
      count();
      await response.text();
      return response.status;
    }),
  );
  await scene.waitUntilSettled();
  await vendor.close();
  const left = (await scene.admin.api(users).get({ params: { id: user.id } })).quota;
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left < balance).toBe(balance > 0);
  expect(statuses.filter((status) => status === 200)).toHaveLength(requests);
  expect(requests).toBeLessThan(CALLERS);
});
