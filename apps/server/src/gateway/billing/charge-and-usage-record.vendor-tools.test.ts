/** Charges for the tools that vendors run, and for images, as the vendors report them. */

import { NANO_POINTS_PER_POINT as POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { type Reply, startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

const OPENAI = 1;
const ANTHROPIC = 14;
const GEMINI = 25;
const ZHIPU = 16;
const MOONSHOT = 29;
const GROQ = 31;
const PERPLEXITY = 1001;
const VOLCENGINE = 1101;

/** Points of a search and of a container. A token costs one point, a one-hour cache write two. */
const SEARCH = 1_000;
const CONTAINER = 50_000;
const HOURLY_WRITE = 2;
const TOKENS = 12;

let scene: RelayScene;
let vendor: TestVendor;
let reply: Reply = {};
const channels: number[] = [];
/** Providers whose models have a second channel. */
const refusing = [
  [ANTHROPIC, 'claude'],
  [GEMINI, 'gemini'],
] as const;
let sent: Record<string, unknown> = {};

const models = {
  openai: OPENAI,
  claude: ANTHROPIC,
  gemini: GEMINI,
  glm: ZHIPU,
  kimi: MOONSHOT,
  compound: GROQ,
  sonar: PERPLEXITY,
  doubao: VOLCENGINE,
};

beforeAll(async () => {
  scene = await startRelayScene();
  vendor = await startTestVendor({}, ({ body }) => {
    sent = JSON.parse(body);
    return reply;
  });
  for (const [name, type] of Object.entries(models)) {
    const options = type === VOLCENGINE ? { api: 'responses' } : {};
    channels.push(await scene.newChannel({ type, base_url: vendor.url, models: [`${name}-tools`], options }));
  }
  for (const [type, name] of refusing)
    channels.push(await scene.newChannel({ type, name: 'second', base_url: vendor.url, models: [`${name}-tools`] }));
  const own = {
    input: POINT,
    output: POINT,
    cacheWrite1h: HOURLY_WRITE * POINT,
    webSearch: SEARCH * POINT,
    codeExecution: CONTAINER * POINT,
  };
  for (const name of Object.keys(models))
    await scene.admin.api(prices).create({ body: { model: `${name}-tools`, rates: rates.parse(own) } });
});
afterAll(async () => {
  await vendor.close();
  await scene.close();
});

const events = (list: readonly object[]): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  text: list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
});

async function chargeOf(path: string, body: object): Promise<number> {
  const before = (await scene.records()).length;
  const response = await scene.post(path, body);
  await response.text();
  await scene.waitUntilSettled();
  expect(response.status).toBe(200);
  const [record, ...more] = (await scene.records()).slice(before);
  expect(more).toEqual([]);
  return record?.quota ?? 0;
}

const usage = { input_tokens: 10, output_tokens: 2, total_tokens: TOKENS };
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
};
const shellCall = {
  type: 'shell_call',
  id: 'sh_1',
  call_id: 'call_1',
  status: 'completed',
  action: { commands: ['ls'] },
  environment: { type: 'container_reference', container_id: 'cntr_1' },
};
const search = { type: 'search_results', queries: ['a'], results: [] };

describe.each([false, true])('a response of the Responses API (stream: %s)', (stream) => {
  test.each<[what: string, model: string, items: object[], reported: object, extra: number]>([
    ['a container of OpenAI’s hosted shell', 'openai-tools', [shellCall], {}, CONTAINER],
    ['a shell of the client', 'openai-tools', [{ ...shellCall, environment: { type: 'local' } }], {}, 0],
    [
      'Perplexity’s reported searches',
      'sonar-tools',
      [search],
      { tool_calls_details: { search_web: { invocation: 3 } } },
      3 * SEARCH,
    ],
    ['Perplexity’s results without a report', 'sonar-tools', [search, search], {}, 2 * SEARCH],
    ['Volcengine’s reported searches', 'doubao-tools', [], { tool_usage: { web_search: 2 } }, 2 * SEARCH],
  ])('is charged for %s', async (_what, model, items, reported, extra) => {
    const output = [...items, message];
    const response = { id: 'resp_1', object: 'response', model, output, usage: { ...usage, ...reported } };
    const completed = { ...response, status: 'completed' };
    reply = stream
      ? events([
          { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
          ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
          { type: 'response.completed', response: completed },
        ])
      : { json: completed };
    expect(await chargeOf('/v1/responses', { model, input: 'x', stream, store: false })).toBe(TOKENS + extra);
  });
});

const chatUsage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: TOKENS };
const kimiCall = { index: 0, id: 'c', type: 'builtin_function', function: { name: '$web_search', arguments: '{}' } };
const groqTool = { index: 0, type: 'search', arguments: '{}', output: '', search_results: { results: [] } };

interface ChatReply {
  model: string;
  said: object;
  /** Fields beside the choices. */
  beside?: object;
  finish?: string;
  usage?: object;
}

function buildChatReply(
  stream: boolean,
  { model, said, beside, finish = 'stop', usage = chatUsage }: ChatReply,
): Reply {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...beside };
  const message = { role: 'assistant', ...said };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    return { json: { ...chunk, object: 'chat.completion', choices, usage } };
  }
  return events([
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { ...chunk, choices: [], usage },
  ]);
}

const messages = [{ role: 'user', content: 'x' }];

describe.each([false, true])('a chat completion (stream: %s)', (stream) => {
  test.each<[what: string, model: string, said: object, finish: string]>([
    ['Moonshot’s search', 'kimi-tools', { content: '', tool_calls: [kimiCall] }, 'tool_calls'],
    ['a search that Groq has executed', 'compound-tools', { content: 'Hello.', executed_tools: [groqTool] }, 'stop'],
  ])('is charged for %s', async (_what, model, said, finish) => {
    reply = buildChatReply(stream, { model, said, finish });
    expect(await chargeOf('/v1/chat/completions', { model, messages, stream })).toBe(TOKENS + SEARCH);
  });

  test('a response of Zhipu is charged for the search whose results it has, which are requested', async () => {
    const web_search = [{ refer: 'ref_1', link: 'https://example.org' }];
    reply = buildChatReply(stream, { model: 'glm-tools', said: { content: 'Hello.' }, beside: { web_search } });
    const tools = [{ type: 'web_search', web_search: { enable: true, search_engine: 'search_std' } }];
    const body = { model: 'glm-tools', messages, tools, stream };
    expect(await chargeOf('/v1/chat/completions', body)).toBe(TOKENS + SEARCH);
    expect(sent['tools']).toMatchObject([{ web_search: { search_engine: 'search_std', search_result: true } }]);
  });

  test('a response of an OpenAI search model is charged for its search, even if it cites nothing', async () => {
    reply = buildChatReply(stream, { model: 'gpt-5-search-api-2025-10-14', said: { content: 'Hello.' } });
    const body = { model: 'openai-tools', messages: [{ role: 'user', content: 'Cite nothing.' }], stream };
    expect(await chargeOf('/v1/chat/completions', body)).toBe(TOKENS + SEARCH);
  });

  test('a call without arguments is charged although its vendor reports no usage', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'get_current_time', arguments: '' } };
    const said = { content: null, tool_calls: [call] };
    reply = buildChatReply(stream, { model: 'openai-tools', said, finish: 'tool_calls', usage: {} });
    const body = { model: 'openai-tools', messages, stream };
    expect(await chargeOf('/v1/chat/completions', body)).toBeGreaterThan(1);
  });

  test('one-hour cache writes are charged at their own rate', async () => {
    const lifetimes = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8 };
    const details = { cached_tokens: 0, cache_write_tokens: 8, cache_creation_token_details: lifetimes };
    const usage = { ...chatUsage, prompt_tokens_details: details };
    reply = buildChatReply(stream, { model: 'openai-tools', said: { content: 'Hello.' }, usage });
    const body = { model: 'openai-tools', messages, stream };
    expect(await chargeOf('/v1/chat/completions', body)).toBe(TOKENS - 8 + 8 * HOURLY_WRITE);
  });
});

/** Messages whose last part is marked for the prompt cache. */
const marked = (cache_control: object) => [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control }] }];
const hourly = { type: 'ephemeral', ttl: '1h' };
const writeDetails = { ephemeral_5m_input_tokens: 8, ephemeral_1h_input_tokens: 0 };

describe.each([false, true])('cache writes of a chat completion (stream: %s)', (stream) => {
  test.each<[what: string, body: object, details: object, rate: number]>([
    ['one hour, which the report does not tell', { messages: marked(hourly) }, {}, HOURLY_WRITE],
    ['one hour for the whole request', { messages, cache_control: hourly }, {}, HOURLY_WRITE],
    ['five minutes', { messages: marked({ type: 'ephemeral', ttl: '5m' }) }, {}, 1],
    ['the usual time', { messages: marked({ type: 'ephemeral' }) }, {}, 1],
    [
      'one hour, of which the report knows better',
      { messages: marked(hourly) },
      { cache_creation_token_details: writeDetails },
      1,
    ],
  ])('have the price of the requested lifetime: %s', async (_what, asked, details, rate) => {
    const usage = { ...chatUsage, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 8, ...details } };
    reply = buildChatReply(stream, { model: 'openai-tools', said: { content: 'Hello.' }, usage });
    const body = { model: 'openai-tools', stream, ...asked };
    expect(await chargeOf('/v1/chat/completions', body)).toBe(TOKENS - 8 + 8 * rate);
  });
});

test.each<[method: string, stream: boolean]>([
  ['generateContent', false],
  ['streamGenerateContent?alt=sse', true],
])('charges each search for images of Gemini: %s', async (method, stream) => {
  const grounding = {
    imageSearchQueries: ['owl', 'fox'],
    groundingChunks: [{ image: { sourceUri: 'https://example.org', imageUri: 'https://example.org/owl.png' } }],
  };
  const response = {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text: 'Hello.' }] },
        finishReason: 'STOP',
        groundingMetadata: grounding,
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: TOKENS },
    modelVersion: 'gemini-3.1-flash-image',
  };
  reply = stream ? events([response]) : { json: response };
  const tools = [{ googleSearch: { searchTypes: { imageSearch: {} } } }];
  const body = { contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools };
  expect(await chargeOf(`/v1beta/models/gemini-tools:${method}`, body)).toBe(TOKENS + 2 * SEARCH);
  expect(sent).toMatchObject({ tools });
});

test('requests only OpenAI’s default container size, and reports this', async () => {
  const model = 'openai-tools';
  reply = { json: { id: 'resp_1', object: 'response', status: 'completed', model, output: [message], usage } };
  const tools = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }];
  const response = await scene.post('/v1/responses', { model, input: 'x', tools, store: false });
  expect(response.headers.get('x-switchyard-dropped')).toContain('tools.container.memory_limit');
  expect(sent).toMatchObject({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] });
  expect(JSON.stringify(sent)).not.toContain('memory_limit');
  await scene.waitUntilSettled();
});

test('charges a stream of several images at least for the largest report', async () => {
  const image = { type: 'image_generation.completed', b64_json: 'AAAA', size: '1024x1024', quality: 'low' };
  const reported = { input_tokens: 10, output_tokens: 500, total_tokens: 510 };
  reply = events([
    { ...image, usage: reported },
    { ...image, usage: { ...reported, output_tokens: 0 } },
  ]);
  const body = { model: 'openai-tools', prompt: 'x', n: 2, stream: true };
  expect(await chargeOf('/v1/images/generations', body)).toBe(510);
});

describe('a response that is refused for its content', () => {
  const tooDeep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const call = `{"type":"tool_use","id":"t","name":"f","input":${tooDeep}}`;
  const mcp = [{ type: 'url', name: 'own', url: 'https://own.test' }];
  const claude = {
    path: '/v1/messages',
    body: { model: 'claude-tools', max_tokens: 900, messages: [{ role: 'user', content: 'x' }] },
    answer: {
      headers: { 'content-type': 'application/json' },
      text: `{"type":"message","role":"assistant","stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":2},"content":[${call}]}`,
    },
  };
  const endingWith = (finishReason: string) => ({
    path: '/v1beta/models/gemini-tools:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    answer: {
      json: {
        candidates: [{ index: 0, finishReason }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: TOKENS },
      },
    },
  });
  const gemini = endingWith('MALFORMED_FUNCTION_CALL');

  async function sendRefused(
    { path, body, answer }: { path: string; body: object; answer: Reply },
    fields: object = {},
  ): Promise<object> {
    reply = answer;
    vendor.asked.length = 0;
    const response = await scene.post(path, { ...body, ...fields });
    await response.text();
    await scene.waitUntilSettled();
    const { quota = 0, type, usage_source } = (await scene.records()).at(-1) ?? {};
    return { status: response.status, calls: vendor.asked.length, type, quota, usage_source };
  }

  test('charges as reported, and requests once, after tools of the vendor may have run', async () => {
    const sent = await sendRefused(gemini, { tools: [{ googleSearch: {} }] });
    expect(sent).toEqual({ status: 502, calls: 1, type: 'consume', quota: TOKENS, usage_source: 'reported' });
  });

  test('charges as estimated, and requests once, if the report cannot be read', async () => {
    const sent = await sendRefused(claude, { mcp_servers: mcp });
    expect(sent).toMatchObject({ status: 422, calls: 1, type: 'consume', usage_source: 'estimated' });
    expect(Object(sent).quota).toBeGreaterThan(900);
  });

  test('charges as estimated, and requests once, if the vendor bills its refusal', async () => {
    const answer = { status: 403, json: { code: 'permission-denied', error: 'Content violates usage guidelines.' } };
    const body = { model: 'openai-tools', input: 'x', tools: [{ type: 'web_search' }] };
    const sent = await sendRefused({ path: '/v1/responses', body, answer });
    expect(sent).toMatchObject({ status: 400, calls: 1, type: 'consume', usage_source: 'estimated' });
    expect(Object(sent).quota).toBeGreaterThan(SEARCH);
  });

  test('charges as estimated if an oversized final event hid the report', async () => {
    const delta = {
      type: 'response.output_text.delta',
      item_id: 'i',
      output_index: 0,
      content_index: 0,
      delta: 'Hello.',
    };
    const text = `data: ${JSON.stringify(delta)}\n\n${'data:\n'.repeat(100_001)}`;
    const answer = { headers: { 'content-type': 'text/event-stream' }, text };
    const sent = await sendRefused(
      { path: '/v1/responses', body: {}, answer },
      {
        model: 'openai-tools',
        stream: true,
        max_output_tokens: 20_000,
        input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://example.org/book.pdf' }] }],
      },
    );
    expect(sent).toMatchObject({ status: 200, calls: 1, type: 'consume', usage_source: 'estimated' });
    expect(Object(sent).quota).toBeGreaterThan(20_000);
  });

  test.each([
    ['one call, if it is too large', claude, { status: 422, calls: 1 }],
    ['a retry, if it is an invalid tool call', gemini, { status: 502, calls: 2 }],
    ['a retry, if it has no image', endingWith('NO_IMAGE'), { status: 502, calls: 2 }],
  ])('costs the vendor %s, counts as abandoned, and leaves the channel in use', async (_what, given, expected) => {
    for (let sent = 0; sent < 30; sent += 1)
      expect(await sendRefused(given)).toMatchObject(sent === 0 ? { ...expected, quota: 0 } : { type: 'error' });
    expect(await sendRefused(given)).toMatchObject({ status: 429, calls: 0 });
    const model = given === claude ? 'claude-tools' : 'gemini-tools';
    for (const channel of channels)
      expect(getChannelHealth(scene.ctx).get(channel, model)).toMatchObject({ failuresInRow: 0, cooldownUntil: 0 });
    scene.clock.advance(61);
  });
});
