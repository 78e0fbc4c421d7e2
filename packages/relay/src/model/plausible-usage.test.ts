import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { type JsonObject, objectOf } from '../json/json.ts';
import { m4a } from '../testing/sample-recordings.ts';
import { formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { computeUnitUsage, countedUsage, isFullyReported } from './billable-usage.ts';
import type { ClientRequest } from './client-request.ts';
import type { Meter } from './dialect.ts';
import type { DialectId } from './dialect-id.ts';
import { expectChatUsage, sanitizeMeter, sanitizeUsage } from './plausible-usage.ts';
import { emptyUsage, tokenCounters, type Usage, type UsageCounterName, unitCounters, usageCounters } from './usage.ts';
import { WritableMeter } from './usage-meter.ts';

const words = (count: number): string => 'word '.repeat(count).trim();
const question = words(4_000);
const answer = words(800);
/** The gateway's own estimates for them. */
const PROMPT = 4_600;
const OUTPUT = 920;

/** The charge for one of each, as prices have it in proportion. */
const rates: Readonly<Partial<Record<string, number>>> = {
  input: 10,
  cachedRead: 1,
  cachedAudioInput: 2,
  cachedImageInput: 2,
  cacheWrite5m: 12,
  cacheWrite1h: 20,
  audioInput: 12,
  imageInput: 12,
  output: 40,
  reasoning: 40,
  audioOutput: 60,
  imageOutput: 60,
  second: 400,
  character: 60,
};
const RATE_OF_CALL = 10_000;

function chargeOf(usage: Usage, counters: readonly UsageCounterName[]): number {
  const others = (usage.others ?? []).reduce((sum, other) => sum + chargeOf(other.usage, counters), 0);
  return counters.reduce((sum, counter) => sum + usage[counter] * (rates[counter] ?? RATE_OF_CALL), others);
}

/** Counters that the price has a rate for. */
function pricedCounters(request: ClientRequest, isPricedByUnit: boolean): readonly UsageCounterName[] {
  if (request.facts.expected === undefined) return usageCounters;
  return isPricedByUnit ? unitCounters : tokenCounters;
}

/** Returns the billed usage. */
function billed(request: ClientRequest, meter: Meter, isPricedByUnit: boolean): Usage {
  const believed = sanitizeMeter(request, meter);
  const { expected } = request.facts;
  const isByUnit = expected !== undefined && (expected.unit !== 'search' || isPricedByUnit);
  if (isByUnit) return computeUnitUsage(request, expected, believed, isPricedByUnit).usage;
  if (isFullyReported(believed)) return believed.usage ?? emptyUsage();
  return countedUsage(request, believed);
}

interface Case {
  provider: string;
  request: ClientRequest;
  /** A non-streaming response, or the last event of a stream. */
  answer: JsonObject;
  /** Path of its counters. */
  counters: readonly string[];
  /** Of a stream: its events before the last, and the name of the last. */
  stream?: { before: string; name?: string };
}

function usageOf({ provider, request, stream }: Case, body: JsonObject, isPricedByUnit = true): Usage {
  const reader = planExchange(request, sampleTarget(provider)).readResponse({
    'content-type': stream === undefined ? 'application/json' : 'text/event-stream',
  });
  const json = JSON.stringify(body);
  const { before, name = '' } = stream ?? { before: '' };
  reader.push(Buffer.from(stream === undefined ? json : `${before}event:${name}\ndata:${json}\n\n`));
  reader.end();
  return billed(request, reader.meter, isPricedByUnit);
}

/** Returns a body with another value in one place, where objects are made as they are missing. */
function withValue(body: JsonObject, path: string, value: number): JsonObject {
  const [name = '', ...rest] = path.split('.');
  const inner = body[name];
  if (rest.length === 0) return { ...body, [name]: value };
  if (!Array.isArray(inner)) return { ...body, [name]: withValue(objectOf(inner), rest.join('.'), value) };
  const [first, ...others] = inner;
  return { ...body, [name]: [withValue(objectOf(first), rest.slice(1).join('.'), value), ...others] };
}

const chat = (format: DialectId, fields: JsonObject = {}): ClientRequest =>
  sampleRequest(format, { messages: [{ role: 'user', content: question }], max_tokens: 2_000, ...fields });

const openaiUsage = {
  prompt_tokens: PROMPT,
  completion_tokens: OUTPUT,
  total_tokens: PROMPT + OUTPUT,
  prompt_tokens_details: { cached_tokens: 1_000 },
  completion_tokens_details: { reasoning_tokens: 100 },
};
const openaiCounters = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details.cached_tokens',
  'prompt_tokens_details.cache_write_tokens',
  'prompt_tokens_details.audio_tokens',
  'prompt_tokens_details.image_tokens',
  'completion_tokens_details.reasoning_tokens',
  'completion_tokens_details.audio_tokens',
  'completion_tokens_details.image_tokens',
  'prompt_cache_hit_tokens',
  'cached_tokens',
  'num_cached_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
  'num_search_queries',
  'num_sources_used',
  'server_tool_use.web_search_requests',
  'server_tool_use_details.web_search_requests',
  'plugins.search.count',
  'prompt_audio_seconds',
].map((name) => `usage.${name}`);

const recording = formRequest('openai-transcription', { model: 'm', file: m4a(100) });
const vector = [0.5, 0.25];

const cases: Readonly<Record<string, Case>> = {
  'openai-chat': {
    provider: 'custom',
    request: chat('openai-chat'),
    answer: {
      choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
      usage: openaiUsage,
    },
    counters: openaiCounters,
  },
  'openai-completions': {
    provider: 'openai',
    request: sampleRequest('openai-completions', { prompt: question, max_tokens: 2_000 }),
    answer: { choices: [{ index: 0, text: answer, finish_reason: 'stop' }], usage: openaiUsage },
    counters: openaiCounters,
  },
  'openai-responses': {
    provider: 'openai',
    request: sampleRequest('openai-responses', { input: question, max_output_tokens: 2_000 }),
    answer: {
      id: 'r',
      status: 'completed',
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] },
        { type: 'image_generation_call', id: 'i', status: 'completed', result: 'iVBORw0KGgo=' },
      ],
      usage: {
        input_tokens: PROMPT,
        output_tokens: OUTPUT,
        total_tokens: PROMPT + OUTPUT,
        input_tokens_details: { cached_tokens: 1_000 },
        output_tokens_details: { reasoning_tokens: 100 },
      },
    },
    counters: [
      'usage.input_tokens',
      'usage.output_tokens',
      'usage.total_tokens',
      'usage.input_tokens_details.cached_tokens',
      'usage.output_tokens_details.reasoning_tokens',
      'usage.server_side_tool_usage_details.web_search_calls',
      'usage.server_side_tool_usage_details.code_interpreter_calls',
      'usage.server_side_tool_usage_details.file_search_calls',
      'usage.server_tool_use_details.web_search_requests',
      'tool_usage.image_gen.input_tokens',
      'tool_usage.image_gen.output_tokens',
    ],
  },
  'anthropic-messages': {
    provider: 'anthropic',
    request: chat('anthropic-messages'),
    answer: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: answer }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: PROMPT - 1_600,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 600,
        cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 300 },
        output_tokens: OUTPUT,
        output_tokens_details: { thinking_tokens: 100 },
      },
    },
    counters: [
      'usage.input_tokens',
      'usage.cache_read_input_tokens',
      'usage.cache_creation_input_tokens',
      'usage.cache_creation.ephemeral_5m_input_tokens',
      'usage.cache_creation.ephemeral_1h_input_tokens',
      'usage.output_tokens',
      'usage.output_tokens_details.thinking_tokens',
      'usage.server_tool_use.web_search_requests',
    ],
  },
  'anthropic-messages with runs of other models': {
    provider: 'anthropic',
    request: chat('anthropic-messages'),
    answer: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: answer }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: PROMPT,
        output_tokens: OUTPUT,
        iterations: [
          { model: 'm', input_tokens: PROMPT, output_tokens: OUTPUT },
          { model: 'advisor', input_tokens: PROMPT, output_tokens: OUTPUT },
        ],
      },
    },
    counters: ['usage.iterations.0.input_tokens', 'usage.iterations.0.output_tokens'],
  },
  gemini: {
    provider: 'gemini',
    request: sampleRequest('gemini', {
      contents: [{ parts: [{ text: question }] }],
      generationConfig: { maxOutputTokens: 2_000 },
    }),
    answer: {
      candidates: [{ content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: PROMPT,
        cachedContentTokenCount: 1_000,
        candidatesTokenCount: OUTPUT,
        thoughtsTokenCount: 100,
        totalTokenCount: PROMPT + OUTPUT + 100,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: PROMPT }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: OUTPUT }],
      },
    },
    counters: [
      'promptTokenCount',
      'cachedContentTokenCount',
      'candidatesTokenCount',
      'thoughtsTokenCount',
      'toolUsePromptTokenCount',
      'totalTokenCount',
      'promptTokensDetails.0.tokenCount',
      'candidatesTokensDetails.0.tokenCount',
    ].map((name) => `usageMetadata.${name}`),
  },
  'bedrock-converse': {
    provider: 'bedrock',
    request: chat('openai-chat'),
    answer: {
      output: { message: { role: 'assistant', content: [{ text: answer }] } },
      stopReason: 'end_turn',
      usage: {
        inputTokens: PROMPT - 1_600,
        cacheReadInputTokens: 1_000,
        cacheWriteInputTokens: 600,
        cacheDetails: [{ ttl: '1h', inputTokens: 300 }],
        outputTokens: OUTPUT,
        totalTokens: PROMPT + OUTPUT,
      },
    },
    counters: [
      'inputTokens',
      'cacheReadInputTokens',
      'cacheWriteInputTokens',
      'cacheDetails.0.inputTokens',
      'outputTokens',
      'totalTokens',
    ].map((name) => `usage.${name}`),
  },
  'cohere-chat': {
    provider: 'cohere',
    request: chat('openai-chat'),
    answer: {
      message: { role: 'assistant', content: [{ type: 'text', text: answer }] },
      finish_reason: 'COMPLETE',
      usage: { billed_units: { input_tokens: PROMPT, output_tokens: OUTPUT } },
    },
    counters: ['input_tokens', 'output_tokens', 'search_units'].map((name) => `usage.billed_units.${name}`),
  },
  'dify-chat': {
    provider: 'dify',
    request: chat('openai-chat', { stream: true }),
    answer: { event: 'message_end', metadata: { usage: { prompt_tokens: PROMPT, completion_tokens: OUTPUT } } },
    stream: { before: `data: ${JSON.stringify({ event: 'message', answer })}\n\n` },
    counters: ['metadata.usage.prompt_tokens', 'metadata.usage.completion_tokens'],
  },
  'coze-chat': {
    provider: 'coze',
    request: chat('openai-chat', { stream: true }),
    answer: { id: 'c', usage: { input_count: PROMPT, output_count: OUTPUT } },
    stream: {
      before: `event:conversation.message.delta\ndata:${JSON.stringify({ id: 'm', type: 'answer', content: answer })}\n\n`,
      name: 'conversation.chat.completed',
    },
    counters: ['usage.input_count', 'usage.output_count'],
  },
  'openai-speech': {
    provider: 'openai',
    request: sampleRequest('openai-speech', { input: question, voice: 'alloy', stream_format: 'sse' }),
    answer: {
      type: 'speech.audio.done',
      usage: { input_tokens: PROMPT, output_tokens: 26_000, total_tokens: PROMPT + 26_000 },
    },
    stream: { before: `data: {"type":"speech.audio.delta","audio":"${'A'.repeat(400)}"}\n\n` },
    counters: ['usage.input_tokens', 'usage.output_tokens', 'usage.total_tokens'],
  },
  'openai-embeddings': {
    provider: 'openai',
    request: sampleRequest('openai-embeddings', { input: question }),
    answer: { data: [{ index: 0, embedding: vector }], usage: { prompt_tokens: PROMPT, total_tokens: PROMPT } },
    counters: ['usage.prompt_tokens', 'usage.total_tokens', 'usage.completion_tokens'],
  },
  'gemini-embeddings': {
    provider: 'gemini',
    request: sampleRequest('gemini-embeddings', { content: { parts: [{ text: question }] } }),
    answer: { embedding: { values: vector }, usageMetadata: { promptTokenCount: PROMPT, totalTokenCount: PROMPT } },
    counters: ['usageMetadata.promptTokenCount', 'usageMetadata.totalTokenCount'],
  },
  'vertex-embeddings': {
    provider: 'vertex',
    request: sampleRequest('openai-embeddings', { input: question }),
    answer: { predictions: [{ embeddings: { values: vector, statistics: { token_count: PROMPT } } }] },
    counters: ['predictions.0.embeddings.statistics.token_count'],
  },
  'cohere-embeddings': {
    provider: 'cohere',
    request: sampleRequest('openai-embeddings', { input: question }),
    answer: { embeddings: { float: [vector] }, meta: { billed_units: { input_tokens: PROMPT } } },
    counters: ['meta.billed_units.input_tokens'],
  },
  rerank: {
    provider: 'jina',
    request: sampleRequest('rerank', { query: 'hi', documents: [question] }),
    answer: { results: [{ index: 0, relevance_score: 0.5 }], usage: { prompt_tokens: PROMPT, total_tokens: PROMPT } },
    counters: ['usage.prompt_tokens', 'usage.total_tokens', 'meta.billed_units.search_units'],
  },
  'cohere-rerank': {
    provider: 'cohere',
    request: sampleRequest('rerank', { query: 'hi', documents: [question] }),
    answer: { results: [{ index: 0, relevance_score: 0.5 }], meta: { billed_units: { search_units: 1 } } },
    counters: ['meta.billed_units.search_units', 'meta.billed_units.input_tokens'],
  },
  'openai-images': {
    provider: 'openai',
    request: sampleRequest('openai-images', { prompt: 'a cat', image: undefined, size: '1024x1024' }),
    answer: {
      data: [{ b64_json: 'iVBORw0KGgo=' }],
      quality: 'medium',
      usage: {
        input_tokens: 30,
        output_tokens: 1_056,
        total_tokens: 1_086,
        input_tokens_details: { text_tokens: 30, image_tokens: 0 },
      },
    },
    counters: [
      'usage.input_tokens',
      'usage.output_tokens',
      'usage.total_tokens',
      'usage.input_tokens_details.image_tokens',
      'usage.input_tokens_details.cached_tokens',
      'usage.output_tokens_details.text_tokens',
    ],
  },
  'minimax-speech': {
    provider: 'minimax',
    request: sampleRequest('openai-speech', { input: question, voice: 'alloy', response_format: 'mp3' }),
    answer: { data: { audio: 'ffff' }, extra_info: { usage_characters: question.length } },
    counters: ['extra_info.usage_characters'],
  },
  'openai-transcription': {
    provider: 'openai',
    request: recording,
    answer: { text: answer, usage: { type: 'duration', seconds: 100 } },
    counters: ['usage.seconds', 'usage.input_tokens', 'usage.output_tokens'],
  },
  'openai-transcription in tokens': {
    provider: 'openai',
    request: recording,
    answer: {
      text: answer,
      usage: {
        input_tokens: 1_000,
        output_tokens: OUTPUT,
        input_token_details: { text_tokens: 0, audio_tokens: 1_000 },
      },
    },
    counters: ['usage.input_tokens', 'usage.output_tokens', 'usage.input_token_details.audio_tokens', 'usage.seconds'],
  },
  'deepgram-transcription': {
    provider: 'deepgram',
    request: recording,
    answer: {
      metadata: { duration: 100 },
      results: { channels: [{ alternatives: [{ transcript: answer, words: [] }] }] },
    },
    counters: ['metadata.duration'],
  },
  'elevenlabs-transcription': {
    provider: 'elevenlabs',
    request: recording,
    answer: { text: answer, words: [], audio_duration_secs: 100 },
    counters: ['audio_duration_secs'],
  },
};

const nonsense = [5_000_000, 1e9, 1e15, 1e308];
const table = Object.entries(cases).flatMap(([name, { counters }]) =>
  counters.map((counter) => [counter, name] as const),
);

describe('an implausible counter', () => {
  it.each(table)('neither multiplies the charge nor hides another counter: %s of %s', (counter, name) => {
    const tested = cases[name];
    if (tested === undefined) throw new Error('no such case');
    for (const isPricedByUnit of [true, false]) {
      const counters = pricedCounters(tested.request, isPricedByUnit);
      const honest = usageOf(tested, tested.answer, isPricedByUnit);
      expect(honest.implausible).toBeUndefined();
      for (const value of nonsense) {
        const usage = usageOf(tested, withValue(tested.answer, counter, value), isPricedByUnit);
        const factor = chargeOf(usage, counters) / chargeOf(honest, counters);
        expect(factor).toBeLessThan(2);
        expect(factor).toBeGreaterThan(0.5);
        const isFlagged = [usage, ...(usage.others ?? []).map((other) => other.usage)].some(
          ({ implausible = [] }) => implausible.length > 0,
        );
        expect(isFlagged || factor === 1).toBe(true);
      }
    }
  });
});

const asked = (fields: JsonObject = {}, text = 'hi'): ClientRequest =>
  sampleRequest('openai-chat', { messages: [{ role: 'user', content: text }], ...fields });
const said = (content: string, usage: JsonObject): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
});
const hi = [{ role: 'user', content: 'hi' }];

const unseenCounters = [
  'reasoning',
  'imageOutput',
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
] as const;

it.each(unseenCounters)('a counter that a request makes exceed its bound does not become cheaper: %s', (counter) => {
  const believed = (count: number): Usage =>
    sanitizeUsage({ ...emptyUsage(), [counter]: count }, expectChatUsage(100, 100));
  let plausible = 1;
  while (believed(plausible * 2).implausible === undefined) plausible *= 2;
  for (const factor of [2, 4]) {
    expect(believed(factor * plausible)[counter]).toBeGreaterThanOrEqual(plausible);
    expect(believed(factor * plausible).implausible).toEqual([counter]);
  }
  expect(believed(1_000 * plausible)[counter]).toBe(0);
});

describe('a plausible counter', () => {
  it.each<[string, ClientRequest, JsonObject, Partial<Usage>]>([
    [
      'the reasoning and the citations of Perplexity’s deep research, which the other numbers don’t have',
      asked({ max_tokens: 8_000 }),
      said(words(6_000), {
        prompt_tokens: 33,
        completion_tokens: 7_163,
        total_tokens: 7_196,
        num_search_queries: 18,
        reasoning_tokens: 73_997,
        citation_tokens: 21_223,
      }),
      { input: 33 + 21_223, output: 7_163, reasoning: 73_997, webSearch: 18 },
    ],
    [
      'the prompt of Perplexity’s other models, which read sources for nothing',
      asked(),
      said('Hi!', { prompt_tokens: 33, completion_tokens: 2, total_tokens: 35, citation_tokens: 21_223 }),
      { input: 33, output: 2 },
    ],
    [
      'the instructions of Grok at Azure Foundry, cached beside the prompt',
      asked(),
      said('Hi!', {
        prompt_tokens: 150,
        completion_tokens: 2,
        total_tokens: 152,
        prompt_tokens_details: { cached_tokens: 290 },
      }),
      { input: 150, cachedRead: 290, output: 2 },
    ],
    [
      'the reasoning of Grok, beside a completion that a cap cuts',
      asked({ max_tokens: 20 }),
      said('Hi!', {
        prompt_tokens: 150,
        completion_tokens: 5,
        total_tokens: 30_155,
        completion_tokens_details: { reasoning_tokens: 30_000 },
      }),
      { input: 150, output: 5, reasoning: 30_000 },
    ],
    [
      'thoughts at Google’s OpenAI-compatible endpoint, which only the total has',
      asked(),
      said('Hi!', { prompt_tokens: 9, completion_tokens: 5, total_tokens: 65_014 }),
      { input: 9, output: 65_005 },
    ],
    [
      'an output that is mostly hidden',
      asked({ max_tokens: 128_000 }),
      said('Hi!', { prompt_tokens: 9, completion_tokens: 128_000, total_tokens: 128_009 }),
      { input: 9, output: 128_000 },
    ],
    [
      'a prompt with what an application adds to it',
      asked(),
      said('Hi!', { prompt_tokens: 61_000, completion_tokens: 5, total_tokens: 61_005 }),
      { input: 61_000 },
    ],
    [
      'a prompt with a file that is named',
      asked({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] }),
      said('Hi!', { prompt_tokens: 900_000, completion_tokens: 5, total_tokens: 900_005 }),
      { input: 900_000 },
    ],
    [
      'a prompt with a document of many pages in few bytes',
      asked({
        messages: [
          { role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0x' } }] },
        ],
      }),
      said('Hi!', { prompt_tokens: 900_000, completion_tokens: 5, total_tokens: 900_005 }),
      { input: 900_000 },
    ],
    [
      'a prompt with what a search found',
      asked({ messages: hi, web_search_options: {} }),
      said('Hi!', { prompt_tokens: 400_000, completion_tokens: 5, total_tokens: 400_005 }),
      { input: 400_000 },
    ],
    [
      'a prompt with what a tool of the vendor found',
      asked({ messages: hi, tools: [{ type: 'browser_search' }] }),
      said('Hi!', { prompt_tokens: 400_000, completion_tokens: 5, total_tokens: 400_005 }),
      { input: 400_000 },
    ],
  ])('is charged: %s', (_, request, body, counts) => {
    const usage = usageOf({ provider: 'custom', request, answer: body, counters: [] }, body);
    expect(usage).toMatchObject(counts);
    expect(usage.implausible).toBeUndefined();
  });

  it('charges a long response in full beyond the client’s cap', () => {
    const body = said(words(40_000), { prompt_tokens: 9, completion_tokens: 46_000, total_tokens: 46_009 });
    const request = asked({ max_tokens: 20 });
    expect(usageOf({ provider: 'custom', request, answer: body, counters: [] }, body)).toMatchObject({
      input: 9,
      output: 46_000,
    });
  });
});

it('charges tokens that only the total includes up to the cap', () => {
  const outputOf = (total_tokens: number): Usage =>
    usageOf(
      { provider: 'custom', request: asked({ max_tokens: 20 }), answer: {}, counters: [] },
      said('hi', { prompt_tokens: 10, completion_tokens: 5, total_tokens }),
    );
  expect(outputOf(215)).toMatchObject({ input: 10, output: 205 });
  expect(outputOf(216)).toMatchObject({ input: 10, output: 5, implausible: ['output'] });
});

describe('a report of unrequested usage', () => {
  const request = asked({ messages: hi, max_tokens: 100 });
  const believe = (usage: Partial<Usage>, from = request): Usage => {
    const meter = new WritableMeter();
    meter.usage = { ...emptyUsage(), ...usage };
    return sanitizeMeter(from, meter).usage ?? emptyUsage();
  };

  it('stays within the bounds of one model, however many it names', () => {
    const most = 10 * (100 + 20_000);
    const usage = { ...emptyUsage(), output: most / 10 };
    const others = Array.from({ length: 19 }, (_, nth) => ({ model: `model-${nth}`, usage }));
    const { output, others: believed = [] } = believe({ ...usage, others });
    const sum = believed.reduce((total, { usage }) => total + usage.output, output);
    expect(sum).toBe(most);
    expect(believed.at(-1)?.usage.implausible).toEqual(['output']);
  });

  it.each<[UsageCounterName, number, number]>([
    ['webSearch', 200, 50],
    ['webSearch', 250, 0],
    ['codeExecution', 40, 10],
    ['codeExecution', 200, 0],
    ['fileSearch', 41, 0],
    ['image', 5_000, 10],
  ])('counts %s reported as %i as %i', (counter, reported, counted) => {
    expect(believe({ [counter]: reported })).toMatchObject({ [counter]: counted, implausible: [counter] });
  });

  it.each(['input', 'cachedRead', 'cacheWrite1h'] as const)(
    'charges %s that tools repeat beyond its bound as the bound',
    (counter) => {
      const tools = [{ type: 'mcp', server_label: 'mine', server_url: 'https://mine.test' }];
      for (const reported of [12_000_000, 40_000_000]) {
        const repeated = believe({ [counter]: reported }, asked({ messages: hi, tools }));
        expect(repeated[counter]).toBeGreaterThanOrEqual(10_000_000);
        expect(repeated.implausible).toEqual([counter]);
        expect(believe({ [counter]: reported })[counter]).toBe(0);
      }
    },
  );

  it('charges cached tokens beside the prompt of a request that names a file', () => {
    const file = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }];
    const usage = { input: 150, cachedRead: 200_000, disputed: { cachedRead: 200_000 } };
    expect(believe(usage, asked({ messages: file }))).toMatchObject({ input: 150, cachedRead: 200_000 });
    expect(believe(usage)).toMatchObject({ cachedRead: 0, implausible: ['cachedRead'] });
  });

  it('charges every image of a requested tool, however many there are, and ten that nobody requested', () => {
    const usage = { ...emptyUsage(), image: 30, imageVariant: '1024x1024/low' };
    const others = [{ model: 'gpt-image-1', tool: 'image_generation' as const, usage }];
    const drawing = sampleRequest('openai-responses', { input: 'hi', tools: [{ type: 'image_generation' }] });
    expect(believe({ input: 9, others }, drawing).others).toEqual(others);
    expect(believe({ input: 9, others }).others).toMatchObject([{ usage: { image: 10 } }]);
  });

  it('keeps the prompts of all runs that read the results of a search', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const usage = { ...emptyUsage(), cachedRead: 100_000 };
    const others = Array.from({ length: 4 }, () => ({ model: '', usage }));
    expect(believe({ ...usage, others }, asked({ messages: hi, tools }))).toEqual({ ...usage, others });
  });

  it('counts the runs of tools that were requested', () => {
    const withTools = asked({ messages: hi, tools: [{ type: 'code_interpreter' }] });
    expect(believe({ webSearch: 200, codeExecution: 200 }, withTools)).toMatchObject({
      webSearch: 200,
      codeExecution: 200,
    });
  });
});
