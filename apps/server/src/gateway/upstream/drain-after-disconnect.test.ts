/** A disconnect before the usage report saves neither delivered tokens nor what only the report has. */
import {
  type ClientRequest,
  createChatTest,
  type DialectId,
  findProvider,
  type Meter,
  planExchange,
  readRequest,
  readsExternalContent,
} from '@switchyard/relay';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { emptyUsage } from '@switchyard/relay/usage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANTHROPIC, NOON, OPENAI_COMPATIBLE, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { defaultPhaseLimits } from '../../testing/routing-samples.ts';
import {
  formatChatChunk,
  formatChatEnd,
  type StreamingUpstream,
  startStreamingUpstream,
  startWaitingMessages,
} from '../../testing/streaming-upstream.ts';
import { createDrainBudget } from './drain-after-disconnect.ts';

const REASONING = 20_000;
/** Seconds, of which a channel allows 120 between two pieces of content. */
const LONG_AFTER = 110;

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

interface Thinker extends StreamingUpstream {
  /** Waits for a request whose answer has not ended, and ends that. */
  report(): Promise<void>;
}

/** Sends a few words, reasons until `report` is called, and ends. */
async function newThinker(model: string, reasoning: number): Promise<Thinker> {
  const thinking: (() => void)[] = [];
  const upstream = await startStreamingUpstream(async (response) => {
    response.write(formatChatChunk({ content: 'The answer is 42 ###END' }));
    await new Promise<void>((resolve) => void thinking.push(resolve));
    const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
    response.end(formatChatEnd({ prompt_tokens: 10, completion_tokens: reasoning + 8, ...details }));
  });
  upstreams.push(upstream);
  await scene.newChannel({ base_url: upstream.url, models: [model] });
  return Object.assign(upstream, {
    async report() {
      await expect.poll(() => thinking.length, { interval: 10 }).toBe(1);
      thinking.pop()?.();
    },
  });
}

async function readWhole(model: string, thinker: Thinker): Promise<void> {
  const answering = scene.chat(model, { stream: true });
  await thinker.report();
  await (await answering).text();
}

/** Resolves when the gateway has noticed that the client left. */
async function leaveBeforeEnd(model: string): Promise<void> {
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  await leaveAfterFirstBytes('/v1/chat/completions', body);
}

async function leaveAfterFirstBytes(path: string, body: object): Promise<void> {
  const leaving = new AbortController();
  const response = await scene.post(path, body, { signal: leaving.signal });
  await response.body?.getReader().read();
  const left = scene.waitForDisconnect();
  leaving.abort();
  await left;
}

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

test('a report that comes within a moment after the client left is charged', async () => {
  const thinker = await newThinker('quick', 0);
  await leaveBeforeEnd('quick');
  scene.clock.advance(0.5);
  await thinker.report();
  expect(await lastRecord()).toMatchObject({ usage_source: 'reported', completion_tokens: 8 });
});

test('charges hidden reasoning also after a disconnect before its usage report', async () => {
  const thinker = await newThinker('thinker', REASONING);
  await readWhole('thinker', thinker);
  expect((await lastRecord()).completion_tokens).toBe(REASONING + 8);
  await leaveBeforeEnd('thinker');
  scene.clock.advance(LONG_AFTER);
  await thinker.report();
  const left = await lastRecord();
  expect(left).toMatchObject({ usage_source: 'reported', completion_tokens: REASONING + 8 });
  expect(JSON.parse(left.detail).ending).toBe('client-left');
  expect(thinker.cancelled).toBe(0);
});

test('charges hidden reasoning of the first stream of a model that is known to hide it', async () => {
  const thinker = await newThinker('gpt-5.4', REASONING);
  await leaveBeforeEnd('gpt-5.4');
  scene.clock.advance(LONG_AFTER);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  await thinker.report();
  const before = await lastRecord();
  expect(before).toMatchObject({ usage_source: 'reported', completion_tokens: REASONING + 8 });
  expect(before.quota).toBeGreaterThan(REASONING);
});

test('charges a response that tools at the provider may have carried to a client that left before its content', async () => {
  const upstream = await startWaitingMessages({ input_tokens: 20_000, output_tokens: REASONING });
  upstreams.push(upstream);
  await scene.newChannel({ type: ANTHROPIC, base_url: upstream.url, models: ['caller'] });
  const leaving = new AbortController();
  const body = {
    model: 'caller',
    max_tokens: 50_000,
    messages: [{ role: 'user', content: 'x' }],
    mcp_servers: [{ type: 'url', name: 'own', url: 'https://own.test' }],
  };
  const asking = scene.post('/v1/messages', body, { signal: leaving.signal });
  await expect.poll(upstream.countWaiting, { interval: 10 }).toBe(1);
  const left = scene.waitForDisconnect();
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await left;
  upstream.sendNext();
  const record = await lastRecord();
  expect(record).toMatchObject({ prompt_tokens: 20_000, completion_tokens: REASONING, usage_source: 'reported' });
});

test('a stream that hides nothing is cancelled within a second after its client left', async () => {
  const thinker = await newThinker('plain', 0);
  await readWhole('plain', thinker);
  await leaveBeforeEnd('plain');
  scene.clock.advance(0.5);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  scene.clock.advance(0.5);
  expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
  await expect.poll(() => thinker.cancelled).toBe(1);
});

test('gives up a stream that falls silent after its client left, and charges the delivered content', async () => {
  const thinker = await newThinker('silent-thinker', REASONING);
  await readWhole('silent-thinker', thinker);
  await leaveBeforeEnd('silent-thinker');
  scene.clock.advance(LONG_AFTER);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  scene.clock.advance(15);
  expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
  await expect.poll(() => thinker.cancelled).toBe(1);
});

describe('a cost that only the report has', () => {
  const OPENAI = 1;
  const GEMINI = 25;
  const sse = (...events: readonly object[]): string =>
    events
      .map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
      .join('');
  const chat = (content: unknown, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more });
  const input = (part: object) => ({ input: [{ role: 'user', content: [part] }] });

  interface Vendor {
    type: number;
    path: (model: string) => string;
    first: string;
    last: string;
  }

  const vendors = {
    responses: {
      type: OPENAI,
      path: () => '/v1/responses',
      first: sse({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'm',
        delta: 'Half',
      }),
      last: sse({
        type: 'response.completed',
        response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 50_000, output_tokens: 9 } },
      }),
    },
    chat: {
      type: OPENAI_COMPATIBLE,
      path: () => '/v1/chat/completions',
      first: formatChatChunk({ content: 'Half' }),
      last: formatChatEnd({ prompt_tokens: 50_000, completion_tokens: 9 }),
    },
    messages: {
      type: ANTHROPIC,
      path: () => '/v1/messages',
      first: sse(
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 40, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
      ),
      last: sse(
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { input_tokens: 50_000, output_tokens: 9, server_tool_use: { web_search_requests: 2 } },
        },
        { type: 'message_stop' },
      ),
    },
    gemini: {
      type: GEMINI,
      path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      first: sse({
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Half' }] } }],
        usageMetadata: { promptTokenCount: 40 },
      }),
      last: sse({
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '.' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 50_000, candidatesTokenCount: 9 },
      }),
    },
  } as const satisfies Record<string, Vendor>;

  const external: readonly (readonly [string, keyof typeof vendors, object])[] = [
    ['a file by its address', 'responses', input({ type: 'input_file', file_url: 'https://a.test/b.pdf' })],
    ['a file of the vendor', 'responses', input({ type: 'input_file', file_id: 'file_1' })],
    ['an image by its address', 'responses', input({ type: 'input_image', image_url: 'https://a.test/b.png' })],
    [
      'an MCP server',
      'responses',
      { input: 'x', tools: [{ type: 'mcp', server_label: 's', server_url: 'https://a.test' }] },
    ],
    ['a search', 'responses', { input: 'x', tools: [{ type: 'web_search' }] }],
    ['an image in a chat', 'chat', chat([{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }])],
    ['a video in a chat', 'chat', chat([{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }])],
    ['a search in a chat', 'chat', chat('x', { web_search_options: {} })],
    ['spoken output', 'chat', chat('x', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } })],
    [
      'a search of Claude',
      'messages',
      chat('x', { max_tokens: 50, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
    ],
    ['a search of Gemini', 'gemini', { contents: [{ parts: [{ text: 'x' }] }], tools: [{ googleSearch: {} }] }],
    [
      'one tool of Gemini',
      'gemini',
      { contents: [{ parts: [{ text: 'x' }] }], tools: { name: 'x', googleSearch: {} } },
    ],
  ];

  test.each(external)(
    'the report is charged although the client left long before it: %s (%s)',
    async (_what, name, body) => {
      const { type, path, first, last } = vendors[name];
      const ends: (() => void)[] = [];
      const upstream = await startStreamingUpstream(async (response) => {
        response.write(first);
        await new Promise<void>((resolve) => void ends.push(resolve));
        response.end(last);
      });
      upstreams.push(upstream);
      const model = `vendor-${upstream.url.split(':').at(-1)}`;
      const options = type === OPENAI_COMPATIBLE ? { fileUrls: 'pass' } : {};
      await scene.newChannel({ type, base_url: upstream.url, models: [model], options });
      await leaveAfterFirstBytes(path(model), { ...(name === 'gemini' ? {} : { model, stream: true }), ...body });
      scene.clock.advance(LONG_AFTER);
      expect(scene.ctx.ledger.openHolds).toBe(1);
      ends.pop()?.();
      const record = await lastRecord();
      expect(record).toMatchObject({ usage_source: 'reported', prompt_tokens: 50_000, completion_tokens: 9 });
      expect(JSON.parse(record.detail).ending).toBe('client-left');
    },
  );

  const MOMENT = 600;
  const { totalMs } = defaultPhaseLimits;
  const newMeter = (changes: Partial<Meter> = {}): Meter => ({
    usage: undefined,
    finished: false,
    deliveredCharacters: 40,
    deliveredWideCharacters: 0,
    deliveredSample: '',
    servedModel: undefined,
    ...changes,
  });
  const newRequest = (format: DialectId, body: object): ClientRequest =>
    readRequest(
      { operation: 'chat', format, ...(format === 'gemini' && { model: 'm', stream: true }) },
      Buffer.from(JSON.stringify(format === 'gemini' ? body : { model: 'm', stream: true, ...body })),
      {},
    );
  const channel = { id: 1, deadlines: defaultPhaseLimits };
  const exchange = { enablesReasoning: false };
  const newStream = (request: ClientRequest, userId = 1) => ({
    userId,
    request,
    channel,
    options: {},
    upstreamModel: 'm',
    exchange,
  });
  const reported = newMeter({ usage: { ...emptyUsage(), input: 50_000 } });
  const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const link = { type: 'image_url', image_url: { url: 'https://a.test/b.png' } };
  const call = { type: 'tool_use', id: 't', name: 'fetch', input: { url: 'https://a.test' } };

  type DrainCase = [string, DialectId, object, Meter, number];

  test.each<DrainCase>([
    ['text', 'openai-chat', chat('x'), newMeter(), MOMENT],
    ['an image of known size', 'openai-chat', chat([png]), newMeter(), MOMENT],
    ['an image by its address', 'openai-chat', chat([link]), newMeter(), totalMs],
    ['an image by its address, in a reported prompt', 'anthropic-messages', chat([link]), reported, MOMENT],
    ['an address in a call of the client’s tool', 'anthropic-messages', chat([call]), reported, MOMENT],
    ['a function', 'openai-chat', chat('x', { tools: [{ type: 'function', function: {} }] }), newMeter(), MOMENT],
    [
      'tools that the client runs',
      'openai-responses',
      { input: 'x', tools: [{ type: 'custom', name: 'c' }, { type: 'local_shell' }, { type: 'namespace', tools: [] }] },
      newMeter({ usage: { ...emptyUsage(), input: 5 } }),
      MOMENT,
    ],
    [
      'tools of Claude’s clients',
      'anthropic-messages',
      chat('x', {
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { name: 'f', input_schema: {} },
        ],
      }),
      reported,
      MOMENT,
    ],
    [
      'a search, in a reported prompt',
      'openai-responses',
      { input: 'x', tools: [{ type: 'web_search' }] },
      reported,
      totalMs,
    ],
    [
      'an image as output',
      'gemini',
      { contents: [{ parts: [{ text: 'x' }] }], generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      reported,
      totalMs,
    ],
    ...[{ reasoning: { exclude: true } }, { include_reasoning: false }, { reasoning_format: 'hidden' }].map(
      (option): DrainCase => [
        'reasoning that the request hides',
        'openai-chat',
        chat('x', option),
        newMeter(),
        totalMs,
      ],
    ),
    ['reasoning that is shown', 'openai-chat', chat('x', { reasoning: { effort: 'low' } }), newMeter(), MOMENT],
    [
      'a predicted output',
      'openai-chat',
      chat('x', { prediction: { type: 'content', content: 'a' } }),
      reported,
      totalMs,
    ],
    [
      'a conversation that OpenAI summarizes',
      'openai-responses',
      { input: 'x', context_management: [{ type: 'compaction', compact_threshold: 9_000 }] },
      reported,
      totalMs,
    ],
    [
      'a conversation that Claude summarizes',
      'anthropic-messages',
      chat('x', { max_tokens: 9, context_management: { edits: [{ type: 'compact_20260112' }] } }),
      reported,
      totalMs,
    ],
  ])('determines how long a stream is drained: %s (%s)', (_what, format, body, meter, ms) => {
    expect(createDrainBudget().startDrain(newStream(newRequest(format, body)), meter).ms).toBe(ms);
  });

  test.each([
    ['images' as const, { operation: 'images', format: 'openai-images' } as const],
    ['speech' as const, { operation: 'speech', format: 'openai-speech' } as const],
  ])('drains %s to the end, because only then the whole is known', (_what, route) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', stream: true, prompt: 'x', input: 'x', voice: 'alloy' }));
    expect(createDrainBudget().startDrain(newStream(readRequest(route, body, {})), reported).ms).toBe(totalMs);
  });

  const searched = newMeter({ usage: { ...emptyUsage(), webSearch: 1 } });

  test.each<[how: string, upstreamModel: string, options: Record<string, string>, Meter, number]>([
    ['its name', 'openai/gpt-4o:online', {}, newMeter(), totalMs],
    ['an option of the channel', 'glm-5', { webSearch: 'on' }, newMeter(), totalMs],
    ['its name, and shows it', 'gpt-4o-search-preview', {}, searched, MOMENT],
    ['nothing', 'glm-5', { webSearch: 'off' }, newMeter(), MOMENT],
  ])('drains the first stream of a model that searches by %s', (_how, upstreamModel, options, meter, ms) => {
    const request = newRequest('openai-chat', chat('x'));
    expect(createDrainBudget().startDrain({ ...newStream(request), upstreamModel, options }, meter).ms).toBe(ms);
  });

  test('drains the streams of a model after 30 were left before a complete one, until one is complete', () => {
    const budget = createDrainBudget();
    const request = newRequest('openai-chat', chat('x'));
    const drains = Array.from({ length: 31 }, () => budget.startDrain(newStream(request), newMeter()).ms);
    expect(drains).toEqual([...Array.from({ length: 30 }, () => MOMENT), totalMs]);
    budget.recordUsage(1, 'm', request, newMeter({ finished: false }));
    expect(budget.startDrain(newStream(request), newMeter()).ms).toBe(totalMs);
    budget.recordUsage(1, 'm', request, newMeter({ finished: true }));
    expect(budget.startDrain(newStream(request), newMeter()).ms).toBe(MOMENT);
  });

  test.each<[what: string, content: string, usage: object, deliveredCharacters: number, before: Meter, number]>([
    ['more output than the text can have', 'x', { output: 30_010 }, 22, newMeter(), totalMs],
    ['more output than the text can have', 'x', { output: 30_010 }, 22, reported, totalMs],
    ['an app’s own instructions', 'x', { input: 60_000, output: 4 }, 22, newMeter(), totalMs],
    ['an app’s own instructions, reported early', 'x', { input: 60_000, output: 4 }, 22, reported, MOMENT],
    ['a long prompt', 'word '.repeat(20_000), { input: 60_000, output: 4 }, 22, newMeter(), MOMENT],
    ['some tokens around a call', 'x', { input: 900, output: 900 }, 22, newMeter(), MOMENT],
    ['an image', '', { input: 60_000, output: 4 }, 22, newMeter(), MOMENT],
  ])('learns from a complete response with %s', (_what, content, counted, deliveredCharacters, before, ms) => {
    const budget = createDrainBudget();
    const request = newRequest('openai-chat', chat(content === '' ? [png] : content));
    const usage = { ...emptyUsage(), ...counted };
    budget.recordUsage(1, 'm', request, newMeter({ usage, finished: true, deliveredCharacters }));
    expect(budget.startDrain(newStream(newRequest('openai-chat', chat('x'))), before).ms).toBe(ms);
    budget.recordUsage(1, 'm', request, newMeter({ finished: true }));
    expect(budget.startDrain(newStream(newRequest('openai-chat', chat('x'))), before).ms).toBe(ms);
  });

  test.each([
    ['a deployment', 'prod-1', 'gpt-5', undefined],
    ['a deployment whose response names the model', 'prod-1', 'm', 'gpt-5.4'],
    ['a fine-tuned model', 'ft:o4-mini-2026:acme', 'm', undefined],
  ])('drains the stream of a reasoning model that is %s', (_what, upstreamModel, model, servedModel) => {
    const request = newRequest('openai-chat', chat('x', { model }));
    expect(createDrainBudget().startDrain({ ...newStream(request), upstreamModel }, newMeter({ servedModel })).ms).toBe(
      totalMs,
    );
  });

  test.each<[model: string, body: object, Meter, number]>([
    ['gpt-5.4', {}, newMeter(), totalMs],
    ['openai/o4-mini', {}, newMeter(), totalMs],
    ['gpt-5-chat-latest', {}, newMeter(), MOMENT],
    ['gpt-4.1', {}, newMeter(), MOMENT],
    ['gpt-oss-120b', {}, newMeter(), MOMENT],
    ['x-ai/grok-4.1-fast-reasoning', {}, newMeter(), totalMs],
    ['grok-4-fast-non-reasoning', {}, newMeter(), MOMENT],
    ['gemini-2.5-pro', {}, newMeter(), totalMs],
    ['gemini-2.5-pro', {}, newMeter({ usage: { ...emptyUsage(), input: 9, output: 3, reasoning: 800 } }), MOMENT],
    ['gemini-2.0-flash', {}, newMeter(), MOMENT],
    ['deepseek-reasoner', {}, newMeter(), MOMENT],
  ])('drains the first stream of %s with %o for its hidden reasoning', (upstreamModel, body, meter, ms) => {
    const request = newRequest('openai-chat', chat('x', body));
    expect(createDrainBudget().startDrain({ ...newStream(request), upstreamModel }, meter).ms).toBe(ms);
  });

  const contents = [{ parts: [{ text: 'x' }] }];
  const thinkingConfig = (config: object) => ({ contents, generationConfig: { thinkingConfig: config } });
  const budget = { budget_tokens: 2_048 };
  const opus = 'claude-opus-4-8';
  const sonnet = 'claude-sonnet-4-5';

  test.each<[isThinking: boolean, provider: string, model: string, DialectId, body: object]>([
    [true, 'anthropic', sonnet, 'anthropic-messages', chat('x', { thinking: { type: 'enabled', ...budget } })],
    [false, 'anthropic', sonnet, 'anthropic-messages', chat('x', { thinking: { type: 'disabled' } })],
    [false, 'anthropic', sonnet, 'anthropic-messages', chat('x')],
    [true, 'anthropic', sonnet, 'openai-chat', chat('x', { reasoning_effort: 'low' })],
    [true, 'anthropic', sonnet, 'openai-chat', chat('x', { reasoning_effort: 'low', thinking: { type: 'disabled' } })],
    [true, 'anthropic', opus, 'openai-chat', chat('x', { reasoning_effort: 'low' })],
    [false, 'anthropic', sonnet, 'openai-chat', chat('x', { reasoning_effort: 'none' })],
    [false, 'anthropic', sonnet, 'openai-chat', chat('x', { thinking: { type: 'adaptive' } })],
    [false, 'anthropic', 'claude-3-5-haiku', 'openai-chat', chat('x', { reasoning_effort: 'low' })],
    [true, 'anthropic', sonnet, 'openai-responses', { input: 'x', reasoning: { effort: 'low' } }],
    [true, 'anthropic', opus, 'openai-responses', { input: 'x', reasoning: { summary: 'auto' } }],
    [false, 'anthropic', sonnet, 'openai-responses', { input: 'x', reasoning: { effort: 'none' } }],
    [true, 'anthropic', sonnet, 'gemini', thinkingConfig({ thinkingBudget: 2_048 })],
    [true, 'anthropic', sonnet, 'gemini', thinkingConfig({ thinkingLevel: 'LOW' })],
    [true, 'anthropic', opus, 'gemini', thinkingConfig({ includeThoughts: true })],
    [false, 'anthropic', sonnet, 'gemini', thinkingConfig({ thinkingBudget: 0 })],
    [true, 'bedrock', 'global.amazon.nova-2-lite-v1:0', 'openai-chat', chat('x', { reasoning_effort: 'high' })],
    [false, 'bedrock', 'global.amazon.nova-2-lite-v1:0', 'openai-chat', chat('x')],
    [true, 'openrouter', `anthropic/${sonnet}`, 'openai-chat', chat('x', { reasoning: { max_tokens: 2_048 } })],
    [true, 'openrouter', `anthropic/${sonnet}`, 'openai-chat', chat('x', { reasoning: { enabled: true } })],
    [true, 'openrouter', 'anthropic/claude-3.7-sonnet:thinking', 'openai-chat', chat('x')],
    [false, 'openrouter', `anthropic/${sonnet}`, 'openai-chat', chat('x')],
    [true, 'anthropic', 'claude-sonnet-5', 'openai-chat', chat('x')],
    [true, 'anthropic', 'claude-fable-5-1', 'anthropic-messages', chat('x')],
    [false, 'anthropic', 'claude-sonnet-5', 'openai-chat', chat('x', { reasoning_effort: 'none' })],
    [true, 'openrouter', 'anthropic/claude-sonnet-5', 'openai-chat', chat('x', { thinking: { type: 'disabled' } })],
    [false, 'anthropic', opus, 'anthropic-messages', chat('x')],
  ])(
    'drains a stream of Claude or Nova to its end if the model thinks: %s, %s, %s, %s, %j',
    (isThinking, id, model, format, body) => {
      const request = newRequest(format, format === 'anthropic-messages' ? { max_tokens: 9_000, ...body } : body);
      const provider = findProvider(id);
      if (provider === undefined) throw new Error(`there is no provider ${id}`);
      const account = { baseUrl: provider.baseUrl ?? '', credentials: { key: 'k' }, options: {}, headers: {} };
      const sent = planExchange(request, { ...account, provider, model });
      const { ms } = createDrainBudget().startDrain(
        { ...newStream(request), upstreamModel: model, exchange: sent },
        reported,
      );
      expect(ms).toBe(isThinking ? totalMs : MOMENT);
    },
  );

  test('decides within a moment about a request with many values, which its plan has searched', () => {
    const parts = Array.from({ length: 90_000 }, () => ({ type: 'text', text: 'a' }));
    const request = newRequest('openai-chat', chat(parts));
    expect(readsExternalContent(request.json)).toBe(false);
    const readCpuMs = startCpuTimer();
    expect(createDrainBudget().startDrain(newStream(request), newMeter()).ms).toBe(MOMENT);
    expect(readCpuMs()).toBeLessThan(5);
  });

  test('limits the streams of a user that are drained to their end', () => {
    const budget = createDrainBudget();
    const request = newRequest('openai-chat', chat([link]));
    const drains = Array.from({ length: 1_000 }, () => budget.startDrain(newStream(request), newMeter()));
    expect(drains.filter(({ ms }) => ms > MOMENT)).toHaveLength(100);
    expect(budget.startDrain(newStream(request, 2), newMeter()).ms).toBe(totalMs);
    for (const drain of drains) drain.end();
    expect(budget.startDrain(newStream(request), newMeter()).ms).toBe(totalMs);
  });

  test('limits the sessions of a user that are drained, together with streams', () => {
    const budget = createDrainBudget();
    const request = newRequest('openai-chat', chat([link]));
    const drains = Array.from({ length: 200 }, () => budget.startSessionDrain(1, channel));
    expect(drains.filter(({ ms }) => ms === 5_000)).toHaveLength(100);
    expect(drains.at(-1)?.ms).toBe(MOMENT);
    expect(budget.startDrain(newStream(request), newMeter()).ms).toBe(MOMENT);
    expect(budget.startSessionDrain(2, channel).ms).toBe(5_000);
    for (const drain of drains) drain.end();
    expect(budget.startSessionDrain(1, channel).ms).toBe(5_000);
  });

  test.each([
    [200, 200],
    [60_000, 5_000],
  ])('drains a session at most for the channel’s %i ms', (drainMs, ms) => {
    const own = { deadlines: { ...defaultPhaseLimits, drainMs } };
    expect(createDrainBudget().startSessionDrain(1, own).ms).toBe(ms);
  });

  test.each([
    ['shown', 4_000, { reasoning: 900 }, MOMENT],
    ['shown in part', 2_400, { reasoning: 900 }, MOMENT],
    ['hidden', 400, { reasoning: 900 }, totalMs],
    ['not reported', 400, {}, MOMENT],
    ['a search', 400, { webSearch: 1 }, totalMs],
    ['speech', 400, { audioOutput: 900 }, totalMs],
  ])('is learned from responses: reasoning or calls that are %s', (_how, deliveredCharacters, counted, ms) => {
    const budget = createDrainBudget();
    const request = createChatTest('m');
    const usage = { ...emptyUsage(), output: 100, ...counted };
    budget.recordUsage(1, 'm', request, newMeter({ usage, finished: true, deliveredCharacters }));
    expect(budget.startDrain(newStream(request), newMeter()).ms).toBe(ms);
    const other = { ...newStream(request), channel: { ...channel, id: 2 } };
    expect(budget.startDrain(other, newMeter()).ms).toBe(MOMENT);
    const own = { ...newStream(request), channel: { id: 1, deadlines: { ...defaultPhaseLimits, drainMs: 5_000 } } };
    expect(budget.startDrain(own, newMeter()).ms).toBe(5_000);
  });

  test('nothing is learned from a search that the request enables', () => {
    const budget = createDrainBudget();
    const searching = newRequest('openai-chat', chat('x', { web_search_options: {} }));
    budget.recordUsage(1, 'm', searching, newMeter({ usage: { ...emptyUsage(), webSearch: 1 }, finished: true }));
    expect(budget.startDrain(newStream(newRequest('openai-chat', chat('x'))), newMeter()).ms).toBe(MOMENT);
  });
});
