import { NANO_POINTS_PER_POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { type DialectId, findProvider, type Operation, planExchange, readRequest } from '@switchyard/relay';
import { emptyUsage, type Usage, usageByModel, usageCounters } from '@switchyard/relay/usage';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { priceCall, RATIO_ONE } from '../../ledger/ledger.ts';
import { systemTimers } from '../../platform/clock.ts';
import { createPacedExecutor } from '../limits/paced-executor.ts';
import { createPriceBook } from '../snapshot/snapshot-loader.ts';
import { type Consumption, computeConsumption } from './determine-usage.ts';

const PROMPT = 900;
const ANSWER = 2_000;
const answer = 'word '.repeat(ANSWER);

/** Counts words, which no estimate comes to. */
const parts = {
  pacedExecutor: createPacedExecutor(systemTimers),
  settings: { approximateTokens: false },
  tokens: {
    count: (texts: { prompt: string; answer: string }) =>
      Promise.resolve({ prompt: wordsIn(texts.prompt), answer: wordsIn(texts.answer) }),
  },
};

function wordsIn(text: string): number {
  return text.match(/word /g)?.length ?? 0;
}

const prompt = 'word '.repeat(PROMPT);
const principal = { user: { id: 1 } };
const messages = [{ role: 'user', content: prompt }];
const requests: Partial<Record<DialectId, readonly [Operation, object]>> = {
  'openai-chat': ['chat', { messages }],
  'anthropic-messages': ['chat', { messages }],
  'openai-responses': ['chat', { input: prompt }],
  gemini: ['chat', { contents: [{ parts: [{ text: prompt }] }] }],
  'openai-completions': ['completions', { prompt }],
  'openai-embeddings': ['embeddings', { input: prompt }],
  'gemini-embeddings': ['embeddings', { content: { parts: [{ text: prompt }] } }],
};

const priced = (upstreamModel: string) => ({
  upstreamModel,
  price: { rule: createPriceBook(() => undefined)(upstreamModel), ratios: { group: 1, key: 1 } },
});

/** Charge for a 200 with this body. */
async function consumed(
  format: DialectId,
  body: unknown,
  options: { provider?: string; model?: string } = {},
): Promise<Consumption | undefined> {
  const { model = 'gpt-4o', provider: id = format === 'anthropic-messages' ? 'anthropic' : 'custom' } = options;
  const [operation, fields] = requests[format] ?? ['chat', {}];
  const sent = JSON.stringify({ model, stream: typeof body === 'string', ...fields });
  const request = readRequest({ operation, format }, Buffer.from(sent), {});
  const provider = findProvider(id);
  if (provider === undefined) throw new Error('no such provider');
  const baseUrl = 'https://upstream.test';
  const target = { provider, baseUrl, credentials: {}, options: {}, headers: {}, model };
  const reader = planExchange(request, target).readResponse();
  reader.push(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  reader.end();
  return computeConsumption(parts, { request, principal }, priced(model), {
    outcome: 'answered',
    meter: reader.meter,
    isDelivered: true,
  });
}

const chat = (message: unknown, usage?: unknown): unknown => ({
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});

function sse(...events: unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

const ended = (...indexes: number[]): unknown[] =>
  indexes.map((index) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }));

const chatStream = (usage: unknown): string =>
  sse({ choices: [{ index: 0, delta: { content: answer } }] }, ...ended(0), { choices: [], usage });

const claudeStream = (first: unknown, last: unknown): string =>
  sse(
    { type: 'message_start', message: { id: 'm', usage: first } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: answer } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last },
    { type: 'message_stop' },
  );

describe('a report that cannot be used', () => {
  it.each<[string, unknown]>([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['negative numbers', { prompt_tokens: -5, completion_tokens: -7, total_tokens: -12 }],
    ['strings', { prompt_tokens: '1000', completion_tokens: '2000', total_tokens: '3000' }],
    ['nulls', { prompt_tokens: null, completion_tokens: null, total_tokens: 3_000 }],
    ['a total alone', { total_tokens: 3_000 }],
    ['another dialect', { input_tokens: 1_000, output_tokens: 2_000 }],
    ['nothing', undefined],
  ])('is counted instead: %s', async (_, usage) => {
    const counted = { source: 'counted', usage: { input: PROMPT, output: ANSWER } };
    expect(await consumed('openai-chat', chat({ content: answer }, usage))).toMatchObject(counted);
    expect(await consumed('openai-chat', chatStream(usage))).toMatchObject(counted);
    const text = { choices: [{ index: 0, text: answer, finish_reason: 'stop' }], usage };
    expect(await consumed('openai-completions', text)).toMatchObject(counted);
  });

  it.each<[string, unknown, number, number]>([
    ['output', { prompt_tokens: 10 }, 10, ANSWER],
    ['output', { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }, 10, ANSWER],
    ['prompt', { completion_tokens: 7 }, PROMPT, 7],
    ['prompt', { prompt_tokens: 0, completion_tokens: 7 }, PROMPT, 7],
  ])('keeps the reported part: the missing %s of %o is counted', async (_, usage, input, output) => {
    const counted = { source: 'counted', usage: { input, output } };
    expect(await consumed('openai-chat', chat({ content: answer }, usage))).toMatchObject(counted);
    expect(await consumed('openai-chat', chatStream(usage))).toMatchObject(counted);
  });

  it.each([
    [{ prompt_tokens: 0, total_tokens: 0 }, PROMPT, 'counted'],
    [{ prompt_tokens: '9' }, PROMPT, 'counted'],
    [{ prompt_tokens: 12, total_tokens: 12 }, 12, 'reported'],
    [{ total_tokens: 12 }, 12, 'reported'],
  ])('of embeddings, %o, is counted likewise; their total is their prompt', async (usage, input, source) => {
    const body = { data: [{ embedding: [0.1] }], usage };
    const expected = { source, usage: { input, output: 0 } };
    expect(await consumed('openai-embeddings', body)).toMatchObject(expected);
  });

  it.each([
    [{ input_tokens: 10, output_tokens: 1 }, undefined, 10],
    [{ input_tokens: 10, output_tokens: 1 }, { output_tokens: 0 }, 10],
    [{ input_tokens: 0, output_tokens: 0 }, { output_tokens: 0 }, PROMPT],
  ])('counts Claude’s usage for %o then %o, since its start reports no result', async (first, last, input) => {
    const counted = { source: 'counted', usage: { input, output: ANSWER } };
    const stream = claudeStream(first, last);
    expect(await consumed('anthropic-messages', stream)).toMatchObject(counted);
    expect(await consumed('openai-chat', stream, { provider: 'anthropic' })).toMatchObject(counted);
  });

  it('estimates the usage when the vocabulary is unknown', async () => {
    const result = await consumed('openai-chat', chat({ content: answer }, { prompt_tokens: 0 }), { model: 'other' });
    expect(result?.source).toBe('estimated');
    expect(result?.usage.input).toBeGreaterThan(PROMPT);
    expect(result?.usage.output).toBeGreaterThan(ANSWER);
  });
});

describe('a report that cannot be true', () => {
  const usage = { prompt_tokens: PROMPT, completion_tokens: ANSWER, total_tokens: PROMPT + ANSWER };

  it.each<[string, object, object]>([
    ['a total', { total_tokens: 1e15 }, { source: 'reported', usage: { implausible: ['output'] } }],
    [
      'cached tokens',
      { prompt_tokens_details: { cached_tokens: 5e6 } },
      { source: 'reported', usage: { cachedRead: 0, implausible: ['cachedRead'] } },
    ],
    ['a prompt', { prompt_tokens: 1e9 }, { source: 'counted', usage: { implausible: ['input'] } }],
    ['a completion', { completion_tokens: 1e9 }, { source: 'counted', usage: { implausible: ['output'] } }],
  ])('leaves the other counters and is named: %s', async (_, wrong, expected) => {
    for (const body of [chat({ content: answer }, { ...usage, ...wrong }), chatStream({ ...usage, ...wrong })])
      expect(await consumed('openai-chat', body)).toMatchObject({
        ...expected,
        usage: { input: PROMPT, output: ANSWER },
      });
  });

  it('charges the search of a response that cites the web without a report', async () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'a' } }];
    const result = await consumed('openai-chat', chat({ content: answer, annotations }));
    expect(result).toMatchObject({ source: 'counted', usage: { input: PROMPT, webSearch: 1 } });
  });

  it('charges the counted prompt of a response that delivered nothing', async () => {
    const body = chat({ content: '' }, { prompt_tokens: 1e9, completion_tokens: 0, total_tokens: 1e9 });
    expect(await consumed('openai-chat', body)).toMatchObject({ usage: { input: PROMPT, output: 0 } });
  });
});

describe('delivered content', () => {
  const picture = 'A'.repeat(1_500_000);
  const custom = { tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'f', input: answer } }] };
  it.each<[string, unknown, number, number]>([
    ['a custom tool’s name and input', custom, ANSWER, ANSWER + 1],
    ['speech by its words', { audio: { id: 'a', data: 'AAAA', transcript: answer } }, ANSWER, ANSWER + 1],
    ['speech without words', { audio: { id: 'a', data: 'A'.repeat(640_000) } }, 100, 2_000],
    [
      'a picture',
      { images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }] },
      500,
      5_000,
    ],
    ['a picture as such', { images: [{ b64_json: picture }] }, 500, 5_000],
    ['a picture behind an address', { images: [{ image_url: { url: 'https://a.test/b' } }] }, 1, 10],
    ['reasoning', { reasoning_content: answer }, ANSWER, ANSWER],
    ['content in parts', { content: [{ type: 'text', text: answer }] }, ANSWER, ANSWER],
  ])('is never free without a report: %s', async (_, message, least, most) => {
    const stream = sse({ choices: [{ index: 0, delta: message }] }, ...ended(0));
    for (const body of [chat(message), stream]) {
      const { usage } = (await consumed('openai-chat', body)) ?? {};
      expect(usage?.input).toBe(PROMPT);
      expect(usage?.output).toBeGreaterThanOrEqual(least);
      expect(usage?.output).toBeLessThanOrEqual(most);
    }
  });

  it('includes each of several answers', async () => {
    const choices = [0, 1, 2].map((index) => ({ index, message: { content: answer }, finish_reason: 'stop' }));
    expect((await consumed('openai-chat', { choices }))?.usage.output).toBe(3 * ANSWER);
  });

  it('includes reasoning that only the vendor can read', async () => {
    const block = { type: 'redacted_thinking', data: 'A'.repeat(100_000) };
    const stream = sse(
      { type: 'message_start', message: { id: 'm' } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'message_stop' },
    );
    for (const format of ['anthropic-messages', 'openai-chat'] as const) {
      for (const body of [{ type: 'message', content: [block] }, stream]) {
        const result = await consumed(format, body, { provider: 'anthropic' });
        expect(result?.usage.output).toBeGreaterThan(50);
      }
    }
  });
});

describe('an honest report', () => {
  it.each<[string, DialectId, unknown, object]>([
    [
      'of a prompt that lay in the cache',
      'anthropic-messages',
      claudeStream({ input_tokens: 0, cache_read_input_tokens: 90, output_tokens: 1 }, { output_tokens: 40 }),
      { input: 0, cachedRead: 90, output: 40 },
    ],
    [
      'of an empty answer',
      'openai-chat',
      chat({ content: '' }, { prompt_tokens: 9, completion_tokens: 0 }),
      { input: 9, output: 0 },
    ],
    [
      'of a tool call alone',
      'openai-chat',
      chat(
        { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
        { prompt_tokens: 9, completion_tokens: 4 },
      ),
      { input: 9, output: 4 },
    ],
    [
      'of fractions, which are charged whole',
      'openai-chat',
      chat({ content: 'word ' }, { prompt_tokens: 0.2, completion_tokens: 3.1 }),
      { input: 1, output: 4 },
    ],
  ])('%s is accepted', async (_, format, body, usage) => {
    expect(await consumed(format, body)).toMatchObject({ source: 'reported', usage });
  });

  it('costs nothing when nothing was reported and nothing was delivered', async () => {
    expect((await consumed('openai-chat', chat({ content: '' })))?.usage).toMatchObject({ input: 0, output: 0 });
  });
});

describe('a rerank that is billed by the search', () => {
  const words = Array.from({ length: 150 }, () => 'word');
  const ranked = (said: object, search: number | null, documents: readonly string[] = words) => {
    const sent = Buffer.from(JSON.stringify({ model: 'rerank-v3.5', query: 'word', documents }));
    const request = readRequest({ operation: 'rerank', format: 'rerank' }, sent, {});
    const provider = findProvider('cohere');
    if (provider === undefined) throw new Error('no such provider');
    const target = { provider, baseUrl: '', credentials: {}, options: {}, headers: {}, model: 'rerank-v3.5' };
    const reader = planExchange(request, target).readResponse();
    reader.push(Buffer.from(JSON.stringify({ results: [{ index: 0, relevance_score: 1 }], ...said })));
    reader.end();
    const { price, upstreamModel } = priced('rerank-v3.5');
    const rule = { ...price.rule, rates: { ...price.rule.rates, search } };
    const answered = { outcome: 'answered', meter: reader.meter, isDelivered: true } as const;
    return computeConsumption(parts, { request, principal }, { upstreamModel, price: { ...price, rule } }, answered);
  };

  it('charges a rerank by the reported searches, else by the number of documents', async () => {
    const reported = await ranked({ meta: { billed_units: { search_units: 3 } } }, 1);
    expect(reported).toMatchObject({ source: 'reported', usage: { search: 3, input: 0 } });
    expect(await ranked({}, 1)).toMatchObject({ source: 'counted', usage: { search: 2, input: 0 } });
  });

  it('charges the searches of long documents as reported, or as estimated if the report is implausible', async () => {
    const long = Array.from({ length: 100 }, () => 'word '.repeat(4_000));
    const searchesFor = async (search_units: number) =>
      (await ranked({ meta: { billed_units: { search_units } } }, 1, long))?.usage.search;
    expect(await Promise.all([1, 9, 17, 90, 91].map(searchesFor))).toEqual([1, 9, 17, 90, 9]);
    expect(await ranked({}, 1, long)).toMatchObject({ source: 'estimated', usage: { search: 9 } });
  });

  it('charges a rerank by its tokens when a search has no price', async () => {
    const counted = await ranked({ meta: { billed_units: { search_units: 3 } } }, null);
    expect(counted?.usage.input).toBeGreaterThan(150);
  });
});

/** One point for each token and unit. */
const rule = {
  ...priced('gpt-4o').price.rule,
  rates: rates.parse(Object.fromEntries(usageCounters.map((counter) => [counter, NANO_POINTS_PER_POINT]))),
};

const pointsFor = (usage: Usage): number => priceCall(rule, { group: RATIO_ONE, key: RATIO_ONE }, usage).points;

describe('a stream that breaks off', () => {
  it.each([
    ['its client left', true, { input: 10, cacheWrite1h: 100_000 }],
    ['its upstream failed', false, undefined],
  ])(
    'before its content, is charged for the prompt that the vendor reported if %s',
    async (_how, isLeftByClient, usage) => {
      const sent = JSON.stringify({ model: 'claude-opus-4-6', stream: true, max_tokens: 100, messages });
      const cached = [{ type: 'text', text: 'word '.repeat(90_000), cache_control: { type: 'ephemeral', ttl: '1h' } }];
      const body = Buffer.from(JSON.stringify({ ...JSON.parse(sent), system: cached }));
      const request = readRequest({ operation: 'chat', format: 'anthropic-messages' }, body, {});
      const meter = {
        usage: { ...emptyUsage(), input: 10, cacheWrite1h: 100_000 },
        finished: false,
        deliveredCharacters: 0,
        deliveredWideCharacters: 0,
        deliveredSample: '',
        servedModel: undefined,
      };
      const left = { outcome: isLeftByClient ? 'left' : 'failed', meter, isDelivered: false, isLeftByClient } as const;
      const consumed = await computeConsumption(parts, { request, principal }, priced('claude-opus-4-6'), left);
      expect(consumed?.usage).toEqual(usage && expect.objectContaining(usage));
    },
  );

  it.each(usageCounters.flatMap((counter) => [false, true].map((isOther) => [counter, isOther] as const)))(
    'is charged for its prompt and for %s, even if nothing else is known (of another model: %s)',
    async (counter, isOther) => {
      const counted = { ...emptyUsage(), [counter]: 1 };
      const others = [{ model: 'other', tool: 'image_generation' as const, usage: counted }];
      const usage = isOther ? { ...emptyUsage(), others } : counted;
      const request = readRequest(
        { operation: 'chat', format: 'openai-chat' },
        Buffer.from(JSON.stringify({ model: 'gpt-4o', stream: true, messages })),
        {},
      );
      const meter = {
        usage,
        finished: false,
        deliveredCharacters: 0,
        deliveredWideCharacters: 0,
        deliveredSample: '',
        servedModel: undefined,
      };
      const left = { outcome: 'left', meter, isDelivered: true } as const;
      const result = await computeConsumption(parts, { request, principal }, priced('gpt-4o'), left);
      if (result === undefined) throw new Error('nothing is charged');
      // A chat response has no spoken characters: that counter is implausible.
      const units = counter === 'character' ? 0 : 1;
      expect(usageByModel(result.usage).reduce((sum, share) => sum + share[counter], 0)).toBeGreaterThanOrEqual(units);
      expect(pointsFor(result.usage)).toBeGreaterThanOrEqual(units);
      if (isOther) expect(result.usage.input).toBe(PROMPT);
    },
  );

  interface Broken {
    upstream: string;
    provider: string;
    options?: Readonly<Record<string, string>>;
    events: readonly object[];
    calls: Partial<Usage>;
    /** Last events, whose report replaces earlier counts; absent if the vendor reports no calls. */
    rest?: readonly object[];
    reported?: Partial<Usage>;
  }

  const text = 'word '.repeat(40);
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
  const result = (tool_use_id: string, content: unknown) => ({ type: 'web_search_tool_result', tool_use_id, content });
  const item = (step: 'added' | 'done', output_index: number, item: object) => ({
    type: `response.output_item.${step}`,
    output_index,
    item,
  });
  const run = { type: 'code_interpreter_call', id: 'ci_1', status: 'in_progress', container_id: 'cntr_1' };
  const web = { type: 'web_search_call', id: 'ws_1', status: 'in_progress', action: { type: 'search' } };
  const said = { type: 'response.output_text.delta', output_index: 9, content_index: 0, item_id: 'm', delta: text };
  const responses = { provider: 'openai', options: { api: 'responses' } };
  const claude = [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 30, output_tokens: 1 } } },
    block(0, { type: 'text', text: '' }),
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ];
  const cited = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'a' } }] };
  const chunk = (delta: object) => ({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] });
  const google = (candidate: object) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...candidate }],
    modelVersion: 'gemini-3-flash-preview',
  });

  const broken: readonly Broken[] = [
    {
      upstream: 'Messages with searches',
      provider: 'anthropic',
      events: [
        ...claude,
        block(1, search('a')),
        block(2, result('a', [{ type: 'web_search_result', url: 'https://a.test' }])),
        block(3, search('b')),
      ],
      calls: { webSearch: 2 },
      rest: [
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens: 50, server_tool_use: { web_search_requests: 1 } },
        },
        { type: 'message_stop' },
      ],
      reported: { webSearch: 1 },
    },
    {
      upstream: 'Messages with a search that failed',
      provider: 'anthropic',
      events: [
        ...claude,
        block(1, search('a')),
        block(2, result('a', { type: 'web_search_tool_result_error', error_code: 'unavailable' })),
      ],
      calls: { webSearch: 0 },
    },
    {
      upstream: 'Messages with tools that are billed by their tokens',
      provider: 'anthropic',
      events: [...claude, block(1, { ...search('a'), name: 'web_fetch' }), block(2, { ...search('b'), name: 'bash' })],
      calls: { webSearch: 0 },
    },
    {
      upstream: 'Chat Completions with citations',
      provider: 'custom',
      events: [chunk({ content: text }), chunk(cited)],
      calls: { webSearch: 1 },
      rest: [
        { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 40, num_search_queries: 3 } },
      ],
      reported: { webSearch: 3 },
    },
    {
      upstream: 'Gemini with grounding',
      provider: 'gemini',
      events: [google({ groundingMetadata: { webSearchQueries: ['a', 'b'], groundingChunks: [{ web: {} }] } })],
      calls: { webSearch: 2 },
    },
    {
      upstream: 'Responses with a running program',
      ...responses,
      events: [said, item('added', 1, run)],
      calls: { codeExecution: 1 },
      rest: [
        item('done', 1, { ...run, id: 'ci_other', status: 'completed' }),
        {
          type: 'response.completed',
          response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 9, output_tokens: 40 } },
        },
      ],
      reported: { codeExecution: 1 },
    },
    {
      upstream: 'Responses with a search of files',
      ...responses,
      events: [said, item('added', 1, { type: 'file_search_call', id: 'fs_1', status: 'in_progress' })],
      calls: { fileSearch: 1 },
    },
    {
      upstream: 'Responses with a search',
      ...responses,
      events: [said, item('added', 1, web)],
      calls: { webSearch: 1 },
      rest: [
        item('done', 1, { ...web, status: 'completed', action: { type: 'open_page', url: 'https://a.test' } }),
        {
          type: 'response.completed',
          response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 9, output_tokens: 40 } },
        },
      ],
      reported: { webSearch: 0 },
    },
    {
      upstream: 'Responses with a call that may be no search',
      ...responses,
      events: [said, item('added', 1, { ...web, action: undefined })],
      calls: { webSearch: 0 },
    },
    {
      upstream: 'Responses with a call that the gateway’s price does not count',
      ...responses,
      events: [said, item('added', 1, { type: 'mcp_call', id: 'mcp_1', name: 'f', server_label: 's' })],
      calls: { webSearch: 0, fileSearch: 0, codeExecution: 0 },
    },
  ];

  const clients = ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'] as const;
  const cases = clients.flatMap((client) => broken.map((one) => [one.upstream, client, one] as const));

  async function chargeFor(
    client: (typeof clients)[number],
    { provider: id, options = {} }: Broken,
    events: readonly object[],
    isWhole: boolean,
  ): Promise<{ usage: Usage; points: number }> {
    const [operation, fields] = requests[client] ?? ['chat', {}];
    const route = { operation, format: client, ...(client === 'gemini' && { model: 'm', stream: true }) };
    const sent = client === 'gemini' ? fields : { model: 'm', stream: true, ...fields };
    const request = readRequest(route, Buffer.from(JSON.stringify(sent)), {});
    const provider = findProvider(id);
    if (provider === undefined) throw new Error('no such provider');
    const baseUrl = 'https://upstream.test';
    const target = { provider, baseUrl, credentials: { key: 'k' }, options, headers: {}, model: 'm' };
    const reader = planExchange(request, target).readResponse();
    for (const event of events) {
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      reader.push(Buffer.from(`${name}data: ${JSON.stringify(event)}\n\n`));
    }
    if (isWhole) reader.end();
    const { meter } = reader;
    expect(meter.finished).toBe(isWhole);
    const attempt = { outcome: isWhole ? 'answered' : 'failed', meter, isDelivered: true } as const;
    const consumption = await computeConsumption(parts, { request, principal }, priced('m'), attempt);
    if (consumption === undefined) throw new Error('nothing is charged');
    return { usage: consumption.usage, points: pointsFor(consumption.usage) };
  }

  it.each(cases)(
    'a broken stream is charged for the calls of vendor tools that have begun: %s, to %s',
    async (_name, client, one) => {
      const { usage, points } = await chargeFor(client, one, one.events, false);
      expect(usage).toMatchObject(one.calls);
      const calls = Object.values(one.calls).reduce((sum: number, count) => sum + Number(count), 0);
      expect(points).toBe(usage.input + usage.output + calls);
      expect(usage.output).toBeGreaterThan(0);
    },
  );

  it.each(cases.filter(([, , { rest }]) => rest !== undefined))(
    'a whole stream is charged for the calls that its report has: %s, to %s',
    async (_name, client, one) => {
      const { usage } = await chargeFor(client, one, [...one.events, ...(one.rest ?? [])], true);
      expect(usage).toMatchObject(one.reported ?? {});
    },
  );
});

const chatOf = (count: number) => {
  const many = Array.from({ length: count }, () => ({ role: 'user', content: 'word ' }));
  const body = Buffer.from(JSON.stringify({ model: 'gpt-4o', messages: many }));
  return readRequest({ operation: 'chat', format: 'openai-chat' }, body, {});
};
const long = chatOf(20_000);

it.each([
  ['at once', 'is short', chatOf(1), 0],
  ['in the paced executor', 'is long', long, 1],
  ['in the paced executor', 'continues a long history', { ...chatOf(1), billedJson: long.json, facts: long.facts }, 1],
])('reads the prompt of an unreported response %s if its request %s', async (_how, _what, request, runs) => {
  const run = vi.spyOn(parts.pacedExecutor, 'run');
  onTestFinished(() => run.mockRestore());
  const delivered = { deliveredCharacters: 5, deliveredWideCharacters: 0, deliveredSample: 'word ' };
  const meter = { usage: undefined, servedModel: undefined, finished: true, ...delivered };
  const attempt = { outcome: 'answered', meter, isDelivered: true } as const;
  const consumption = await computeConsumption(parts, { request, principal }, priced('gpt-4o'), attempt);
  expect(consumption).toMatchObject({ source: 'counted', usage: { input: runs === 0 ? 1 : 20_000, output: 1 } });
  expect(run).toHaveBeenCalledTimes(runs);
});
