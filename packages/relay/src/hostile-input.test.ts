import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from './errors/upstream-error.ts';
import { planExchange } from './exchange/plan-exchange.ts';
import { objectOf } from './json/json.ts';
import type { DialectId } from './model/dialect-id.ts';
import { InvalidRequestError } from './model/invalid-request-error.ts';
import { usageCounters } from './model/usage.ts';
import { geminiRequest, rawRequest, responsesOnly, sampleRequest, sampleTarget } from './testing/sample-requests.ts';
import {
  estimateToolCalls,
  readsExternalContent,
  requestsMedia,
  usesVendorTools,
} from './tokens/external-content-and-tools.ts';

/** Words of all chat dialects, so that random values get far into the code. */
const word = fc.constantFrom(
  'text',
  'image',
  'image_url',
  'document',
  'file',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'user',
  'assistant',
  'system',
  'tool',
  'function',
  'base64',
  'url',
  'object',
  '__proto__',
  'constructor',
  'data:,%',
  'auto',
  'any',
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
  'text_delta',
  'input_json_delta',
  'signature_delta',
  'thinking_delta',
  'message',
  'input_text',
  'input_image',
  'input_file',
  'output_text',
  'refusal',
  'summary_text',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom',
  'custom_tool_call',
  'web_search',
  'web_search_call',
  'code_interpreter',
  'code_interpreter_call',
  'image_generation_call',
  'allowed_tools',
  'url_citation',
  'grammar',
  'json_schema',
  'response.created',
  'response.output_item.added',
  'response.output_item.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.output_text.annotation.added',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'citations_delta',
  'stop',
  'null',
  'input_audio',
  'video_url',
  'custom',
  'search_result',
  'content',
  'server_tool_use',
  'web_search',
  'web_fetch',
  'bash_code_execution',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'web_search_20250305',
  'code_execution_20250825',
  'web_search_result_location',
  'url_citation',
  'reasoning.text',
  'reasoning.encrypted',
  'switchyard.gemini.signature.x',
  'data:image/png;base64,AAAA',
  'adaptive',
  'medium',
  'model',
  'image/png',
  'STOP',
  'ANY',
  'STRING',
  '$.a[0].b',
  '$.__proto__.a[1]',
  'https://a.test/b.png',
); // prettier-ignore
const key = fc.constantFrom(
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'source',
  'data',
  'media_type',
  'tool_calls',
  'function',
  'name',
  'arguments',
  'id',
  'tool_call_id',
  'tool_use_id',
  'input',
  'thinking',
  'signature',
  'file',
  'file_data',
  'choices',
  'delta',
  'message',
  'index',
  'finish_reason',
  'usage',
  'prompt_tokens',
  'content_block',
  'stop_reason',
  'error',
  'reasoning_details',
  'partial_json',
  'prompt_tokens_details',
  'iterations',
  'instructions',
  'call_id',
  'output',
  'output_index',
  'content_index',
  'item',
  'response',
  'annotation',
  'annotations',
  'logprobs',
  'top_logprobs',
  'token',
  'logprob',
  'summary',
  'encrypted_content',
  'status',
  'action',
  'outputs',
  'result',
  'reasoning',
  'format',
  'parameters',
  'properties',
  'tools',
  'include',
  'metadata',
  'arguments',
  'input_tokens',
  'input_tokens_details',
  'incomplete_details',
  'tools',
  'custom',
  'input_audio',
  'video_url',
  'audio',
  'modalities',
  'metadata',
  'logprobs',
  'top_logprobs',
  'web_search_options',
  'user_location',
  'approximate',
  'service_tier',
  'display',
  'extra_content',
  'google',
  'thought_signature',
  'annotations',
  'url_citation',
  'start_index',
  'end_index',
  'images',
  'citations',
  'citation',
  'search_results',
  'cited_text',
  'title',
  'allowed_domains',
  'max_uses',
  'stop_details',
  'system',
  'contents',
  'parts',
  'thought',
  'thoughtSignature',
  'inlineData',
  'file_data',
  'mimeType',
  'fileUri',
  'functionCall',
  'function_response',
  'args',
  'partialArgs',
  'jsonPath',
  'stringValue',
  'willContinue',
  'response',
  'executableCode',
  'codeExecutionResult',
  'systemInstruction',
  'functionDeclarations',
  'parameters',
  'toolConfig',
  'generationConfig',
  'thinkingConfig',
  'candidates',
  'finishReason',
  'promptFeedback',
  'blockReason',
  'groundingMetadata',
  'groundingChunks',
  'groundingSupports',
  'segment',
  'startIndex',
  'web',
  'uri',
  'usageMetadata',
  'promptTokenCount',
  'candidatesTokenCount',
  'promptTokensDetails',
  'messageStop',
  'metadata',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockIndex',
  'start',
  'toolUse',
  'reasoningContent',
  'stopReason',
  'inputTokens',
  'cacheDetails',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
); // prettier-ignore

/** Values that throw when JavaScript converts them to a text or a number. */
const inconvertible: readonly unknown[] = [{ toString: 0 }, [{ toString: 0 }]];
/** Values that are converted to something else than they are. */
const oddValues: readonly unknown[] = [
  ...inconvertible,
  { toString: 'x', valueOf: 0 },
  { valueOf: 0 },
  JSON.parse('{"__proto__":{"toString":0}}'),
  [[[]]],
];

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    word,
    fc.constantFrom(null, 0, 1, -1, 1e308, true, '', '🐻', ...oddValues),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 6 });
const formats = fc.constantFrom<DialectId>('openai-chat', 'anthropic-messages', 'openai-responses', 'gemini');

/** The vendors there are, and one that speaks nothing but Responses. */
const targets = fc.oneof(
  fc
    .constantFrom('openai', 'anthropic', 'custom', 'azure', 'gemini', 'bedrock', 'vertex')
    .map((provider) => sampleTarget(provider)),
  fc.constant(responsesOnly()),
);

/** Fields of tools, searches and settings, whose meaning depends on a type beside them. */
const settings = {
  type: 'web_search',
  name: 'x',
  role: 'user',
  tools: [{ type: 'web_search', max_results: 1, max_total_results: 1, engine: 'auto', parameters: { max_results: 1 } }],
  tool_choice: { type: 'function', name: 'x', function: { name: 'x' } },
  edits: [{ type: 'compact' }],
  modalities: ['audio'],
  generationConfig: { responseModalities: ['AUDIO'], thinkingConfig: { thinkingBudget: 1, includeThoughts: true } },
  content: [
    { type: 'text', text: 'x' },
    { type: 'image_url', image_url: { url: 'https://a.test', detail: 'x' } },
  ],
  inlineData: { mimeType: 'image/png', data: 'AAAA' },
  fileData: { mimeType: 'image/png', fileUri: 'https://a.test' },
  environment: { type: 'container_auto', skills: [{ name: 'x', path: 'x' }] },
  max_tokens: 1,
  max_tool_calls: 1,
  n: 1,
  seconds: 1,
  size: '1x1',
};
const bodies: readonly (readonly [DialectId, Record<string, unknown>])[] = [
  ['openai-chat', { ...settings, messages: [settings, { role: 'tool', tool_call_id: 'x', content: 'x' }] }],
  [
    'anthropic-messages',
    {
      ...settings,
      messages: [settings, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: [settings] }] }],
      context_management: { edits: settings.edits },
    },
  ],
  [
    'openai-responses',
    {
      ...settings,
      context_management: settings.edits,
      input: [
        settings,
        { type: 'local_shell_call_output', id: 'x', output: 'x' },
        { type: 'function_call_output', call_id: 'x', output: 'x' },
        { type: 'computer_call', call_id: 'x', action: { type: 'click' } },
      ],
    },
  ],
  ['gemini', { ...settings, contents: [{ role: 'user', parts: [settings] }] }],
  ['openai-images', { ...settings, prompt: 'x' }],
  ['openai-speech', settings],
  ['openai-embeddings', { ...settings, input: [settings] }],
  ['rerank', { ...settings, documents: [settings] }],
  ['openai-videos', { ...settings, prompt: 'x' }],
];

/** Yields copies of a body in which one member at any depth has another value. */
function* replaceEach(body: unknown, odd: unknown): Generator {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, inner] of Object.entries(body)) {
    const replace = (by: unknown): unknown =>
      Array.isArray(body) ? body.with(Number(name), by) : { ...body, [name]: by };
    yield replace(odd);
    for (const changed of replaceEach(inner, odd)) yield replace(changed);
  }
}

const LONG = 2_000_000;

function usedHeap(): number {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('hostile input', () => {
  it.each(bodies)('refuses or translates an odd value in each field of %s', (format, body) => {
    for (const odd of inconvertible)
      for (const changed of replaceEach(body, odd))
        for (const provider of ['custom', 'anthropic', 'gemini', 'openrouter'])
          try {
            const request = sampleRequest(format, objectOf(changed));
            const { json } = request;
            expect([readsExternalContent(json), usesVendorTools(json), requestsMedia(json)]).toHaveLength(3);
            expect(estimateToolCalls(json, { options: {}, model: 'm' })).toBeGreaterThanOrEqual(0);
            planExchange(request, sampleTarget(provider));
          } catch (error) {
            if (!(error instanceof InvalidRequestError || error instanceof UpstreamError)) throw error;
          }
  });

  it('either refuses a request with InvalidRequestError or translates it', () => {
    const messages = fc.array(object, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(formats, targets, messages, object, (format, target, messages, fields) => {
        try {
          const body = { tools: [fields], ...fields };
          const turns = format === 'openai-responses' ? { input: messages } : { messages };
          const request =
            format === 'gemini'
              ? geminiRequest({ ...body, contents: messages }, { stream: true })
              : rawRequest(format, JSON.stringify({ ...body, model: 'm', ...turns, stream: true }));
          const { url, body: sent } = planExchange(request, target);
          expect(JSON.parse(sent.toString()).model ?? url).toContain('vendor-model');
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([true, false])('in a response (stream: %s) returns bytes or throws an UpstreamError', (stream) => {
    fc.assert(
      fc.property(formats, targets, fc.array(object, { maxLength: 6 }), (format, target, events) => {
        const reader = planExchange(sampleRequest(format, { stream }), target).readResponse();
        const framed = stream
          ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
          : JSON.stringify(events[0] ?? {});
        try {
          reader.push(Buffer.from(framed));
          reader.end();
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError);
        }
        const { usage } = reader.meter;
        for (const counter of usageCounters) expect(usage?.[counter] ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns bytes or throws an UpstreamError after a valid start of the response', () => {
    const beginnings: Record<string, string> = {
      anthropic: [
        '{"type":"message_start","message":{"id":"m"}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}',
        '{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search"}}',
        '{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f"}}',
      ].join('\n\ndata: '),
      custom: '{"choices":[{"delta":{"content":"a","tool_calls":[{"id":"c","function":{"name":"f"}}]}},{"delta":{}}]}',
    };
    const block = fc.record({
      type: fc.constantFrom('content_block_start', 'content_block_delta', 'content_block_stop', 'message_stop'),
      index: fc.constantFrom(0, 1, 2, 3, 'x'),
      content_block: object,
      delta: object,
    });
    const choice = fc.record({ index: fc.constantFrom(0, 1, -1, 1e9), delta: object, logprobs: object });
    const chunk = fc.record({ choices: fc.array(choice), citations: value, search_results: value });
    fc.assert(
      fc.property(
        formats,
        fc.constantFrom('anthropic', 'custom'),
        fc.array(fc.oneof(block, chunk), { maxLength: 6 }),
        (format, provider, events) => {
          const request = sampleRequest(format, { stream: true });
          const reader = planExchange(request, sampleTarget(provider)).readResponse();
          const texts = [beginnings[provider], ...events.map((event) => JSON.stringify(event))];
          try {
            reader.push(Buffer.from(texts.map((text) => `data: ${text}\n\n`).join('')));
            reader.end();
          } catch (error) {
            expect(error).toBeInstanceOf(UpstreamError);
          }
          expect(reader.dropped.length).toBeLessThanOrEqual(32);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('returns bytes or throws an UpstreamError for any bytes in a stream', () => {
    fc.assert(
      fc.property(formats, targets, fc.array(fc.uint8Array({ maxLength: 60 })), (format, target, chunks) => {
        const reader = planExchange(sampleRequest(format, { stream: true }), target).readResponse();
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        expect(() => reader.end()).toThrow(UpstreamError);
      }),
    );
  });

  it.each<[string, string, DialectId, (text: string) => object]>([
    [
      'annotation types',
      'custom',
      'anthropic-messages',
      (type) => ({ choices: [{ delta: { content: 'x', annotations: [{ type }] } }] }),
    ],
    ['model names', 'custom', 'openai-chat', (model) => ({ model, choices: [] })],
    [
      'queries',
      'gemini',
      'gemini',
      (query) => ({ candidates: [{ groundingMetadata: { webSearchQueries: [query] } }] }),
    ],
    [
      'ids of searches',
      'anthropic',
      'anthropic-messages',
      (id) => ({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', name: 'web_search', id, input: {} },
      }),
    ],
    [
      'containers',
      'openai',
      'openai-responses',
      (container_id) => ({
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'code_interpreter_call', id: 'x', status: 'completed', container_id },
      }),
    ],
    [
      'calls that have begun',
      'openai',
      'openai-responses',
      (code) => ({
        type: 'response.output_item.added',
        output_index: Number.parseInt(code, 10),
        item: { type: 'code_interpreter_call', container_id: code, code },
      }),
    ],
  ])('keeps no long %s of a stream in memory', (_, provider, format, eventOf) => {
    const reader = planExchange(sampleRequest(format, { stream: true }), sampleTarget(provider)).readResponse();
    const push = (nth: number): void => {
      const data = eventOf(`${nth}${'x'.repeat(LONG)}`);
      reader.push(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
    };
    push(0);
    const before = usedHeap();
    for (let nth = 1; nth <= 12; nth += 1) push(nth);
    expect(usedHeap() - before).toBeLessThan(4 * LONG);
    expect(reader.dropped.length).toBeLessThan(32);
  });

  it('keeps no long ids of items of a stream in memory', () => {
    const request = sampleRequest('openai-chat', { stream: true });
    const reader = planExchange(request, responsesOnly()).readResponse();
    const push = (item_id: string, output_index?: number): void => {
      const data = { type: 'response.output_text.delta', item_id, output_index, delta: 'a' };
      reader.push(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
    };
    push('first', 0);
    const before = usedHeap();
    for (let nth = 1; nth <= 2_000; nth += 1) {
      push(`placed ${nth} ${'x'.repeat(15_000)}`, nth);
      push(`unplaced ${nth} ${'x'.repeat(15_000)}`);
    }
    expect(usedHeap() - before).toBeLessThan(8_000_000);
  });
});
