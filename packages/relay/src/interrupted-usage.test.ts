import { describe, expect, it, test } from 'vitest';
import { UpstreamError } from './errors/upstream-error.ts';
import { planExchange } from './exchange/plan-exchange.ts';
import type { DialectId } from './model/dialect-id.ts';
import type { Target } from './model/provider.ts';
import type { ResponseReader } from './model/upstream-exchange.ts';
import type { Usage } from './model/usage.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

/** A stream that reports usage before its end and then breaks off. */
interface Broken {
  upstream: string;
  target: () => Target;
  /** Data of its events; the last one reports the most. */
  events: readonly object[];
  /** The vendor's error in the middle of a stream, which may report usage as well. */
  error: object;
  reported: Partial<Usage>;
}

const clients = ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'] as const;

const delta = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const chunk = (text: string) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] });

const broken: readonly Broken[] = [
  {
    upstream: 'Messages',
    target: () => sampleTarget('anthropic'),
    events: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          model: 'sample-model',
          usage: {
            input_tokens: 5,
            cache_read_input_tokens: 20_000,
            cache_creation_input_tokens: 90_000,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 90_000 },
            output_tokens: 1,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half of it' } },
    ],
    error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    reported: { input: 5, cachedRead: 20_000, cacheWrite1h: 90_000 },
  },
  {
    upstream: 'Gemini',
    target: () => sampleTarget('gemini'),
    events: [
      { ...chunk('Half'), usageMetadata: { promptTokenCount: 50_000, totalTokenCount: 50_000 } },
      {
        ...chunk(' of it'),
        usageMetadata: { promptTokenCount: 50_000, candidatesTokenCount: 12, thoughtsTokenCount: 1_000 },
      },
    ],
    error: { error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded' } },
    reported: { input: 50_000, output: 12, reasoning: 1_000 },
  },
  {
    upstream: 'Chat',
    target: () => sampleTarget('custom'),
    events: [
      { id: 'c', ...delta('Half'), usage: { prompt_tokens: 40_000, completion_tokens: 1 } },
      {
        id: 'c',
        ...delta(' of it'),
        usage: { prompt_tokens: 40_000, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 39_000 } },
      },
      // An empty report after the true one.
      { id: 'c', ...delta(''), usage: { prompt_tokens: 0, completion_tokens: 0 } },
    ],
    error: { error: { code: 502, message: 'Provider disconnected' } },
    reported: { input: 1_000, cachedRead: 39_000, output: 30 },
  },
  {
    upstream: 'Chat with usage in its error',
    target: () => sampleTarget('custom'),
    events: [{ id: 'c', ...delta('Half of it') }],
    error: {
      error: { code: 502, message: 'Provider disconnected' },
      choices: [],
      usage: { prompt_tokens: 700, completion_tokens: 9 },
    },
    reported: { input: 700, output: 9 },
  },
  {
    upstream: 'Responses',
    target: () => sampleTarget('openai', { options: { api: 'responses' } }),
    events: [
      { type: 'response.created', response: { id: 'resp_1', model: 'sample-model', usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { id: 'm', type: 'message', content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: 'Half of it' },
    ],
    error: {
      type: 'response.failed',
      response: {
        id: 'resp_1',
        status: 'failed',
        error: { code: 'server_error', message: 'Overloaded' },
        usage: { input_tokens: 800, input_tokens_details: { cached_tokens: 300 }, output_tokens: 11 },
      },
    },
    reported: { input: 500, cachedRead: 300, output: 11 },
  },
];

const eventOf = (data: object): string =>
  `${'type' in data ? `event: ${String(data.type)}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

function readerFor(client: DialectId, { target }: Broken): ResponseReader {
  return planExchange(sampleRequest(client, { stream: true }), target()).readResponse();
}

/** Reads to the break, as a connection that is cut does. */
function breakOff(reader: ResponseReader, events: readonly object[]): void {
  for (const event of events) reader.push(Buffer.from(eventOf(event)));
  expect(() => reader.end()).toThrow(UpstreamError);
}

const reportsEarly = broken.filter(({ upstream }) => ['Messages', 'Gemini', 'Chat'].includes(upstream));

describe.each(clients)('a stream that breaks off, for a client of %s', (client) => {
  it.each(reportsEarly.map((one) => [one.upstream, one] as const))(
    'keeps what %s reported before the client left',
    (_upstream, one) => {
      const reader = readerFor(client, one);
      for (const event of one.events) reader.push(Buffer.from(eventOf(event)));
      expect(reader.meter.usage).toMatchObject(one.reported);
      expect(reader.meter.finished).toBe(false);
    },
  );

  it.each(reportsEarly.map((one) => [one.upstream, one] as const))(
    'keeps what %s reported before the connection broke',
    (_upstream, one) => {
      const reader = readerFor(client, one);
      breakOff(reader, one.events);
      expect(reader.meter.usage).toMatchObject(one.reported);
    },
  );

  it.each(broken.map((one) => [one.upstream, one] as const))(
    'keeps what %s reported before and in its error',
    (_upstream, one) => {
      const reader = readerFor(client, one);
      breakOff(reader, [...one.events, one.error]);
      expect(reader.meter.usage).toMatchObject(one.reported);
      expect(reader.meter.finished).toBe(false);
    },
  );
});

test('adds nothing to the client’s output with an error event', () => {
  for (const client of clients)
    for (const one of broken) {
      const reader = readerFor(client, one);
      for (const event of one.events) reader.push(Buffer.from(eventOf(event)));
      expect(reader.push(Buffer.from(eventOf(one.error))).toString(), `${one.upstream} to ${client}`).toBe('');
    }
});

/** Requests that turn the reasoning of Qwen on, and clients that do or don't ask to see it. */
test.each<[client: DialectId, body: object]>([
  ['openai-chat', { enable_thinking: true, max_tokens: 16 }],
  ['openai-chat', { reasoning_effort: 'high', max_tokens: 16 }],
  ['openai-responses', { reasoning: { effort: 'high' } }],
  ['openai-responses', { enable_thinking: true }],
  ['anthropic-messages', { thinking: { type: 'enabled', budget_tokens: 2_048 }, max_tokens: 4_096 }],
  ['gemini', { generationConfig: { thinkingConfig: { includeThoughts: false, thinkingBudget: 2_048 } } }],
])('counts the reasoning of Qwen that a client of %s with %j had when it left', (client, body) => {
  const thought = 'Let me think about this. '.repeat(400);
  const target = sampleTarget('ali', { model: 'qwen-plus' });
  const reader = planExchange(sampleRequest(client, { ...body, stream: true }), target).readResponse();
  const thinking = {
    choices: [{ index: 0, delta: { reasoning_content: thought, content: null }, finish_reason: null }],
  };
  for (const event of [thinking, delta('Half')]) reader.push(Buffer.from(eventOf(event)));
  expect(reader.meter.deliveredCharacters).toBeGreaterThanOrEqual(thought.length);
});
