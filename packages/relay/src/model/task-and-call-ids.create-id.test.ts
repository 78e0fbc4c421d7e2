import { describe, expect, it } from 'vitest';
import { getDialect, getUpstreamDialect } from '../exchange/dialect-registry.ts';
import { encodeAsRequested } from '../exchange/encode-chat-response.ts';
import { sampleRequest } from '../testing/sample-requests.ts';
import { parseSseEvents } from '../wire/sse.ts';
import type { ResponseEvent } from './conversation.ts';
import type { DialectId, UpstreamDialectId } from './dialect-id.ts';

const lost = { add() {} };
const call = { function: { name: 'find', arguments: '{}' } };

/** Streams of upstreams that give no id to anything. */
const nameless: [UpstreamDialectId, [name: string, event: object][]][] = [
  [
    'openai-chat',
    [
      ['', { choices: [{ index: 0, delta: { content: 'Hi', tool_calls: [{ index: 0, ...call }] } }] }],
      ['', { choices: [{ index: 0, delta: { tool_calls: [{ index: 1, ...call }] }, finish_reason: 'stop' }] }],
    ],
  ],
  ['openai-chat', [['', { id: '', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }]]],
  [
    'openai-responses',
    [
      [
        '',
        {
          type: 'response.completed',
          response: {
            status: 'completed',
            output: [
              { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
              { type: 'function_call', name: 'find', arguments: '{}' },
              { type: 'function_call', name: 'find', arguments: '{}' },
            ],
          },
        },
      ],
    ],
  ],
  [
    'anthropic-messages',
    [
      ['', { type: 'message_start', message: {} }],
      ['', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } }],
      ['', { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'find' } }],
      ['', { type: 'content_block_stop', index: 1 }],
      ['', { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', name: 'find' } }],
      ['', { type: 'content_block_stop', index: 2 }],
      ['', { type: 'message_stop' }],
    ],
  ],
  [
    'gemini',
    [
      ['', { candidates: [{ content: { parts: [{ text: 'Hi' }, { functionCall: { name: 'find' } }] } }] }],
      ['', { candidates: [{ content: { parts: [{ functionCall: { name: 'find' } }] }, finishReason: 'STOP' }] }],
    ],
  ],
  [
    'bedrock-converse',
    [
      ['', { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } }],
      ['', { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { name: 'find' } } } }],
      ['', { contentBlockStop: { contentBlockIndex: 1 } }],
      ['', { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { name: 'find' } } } }],
      ['', { contentBlockStop: { contentBlockIndex: 2 } }],
      ['', { messageStop: { stopReason: 'tool_use' } }],
    ],
  ],
  [
    'cohere-chat',
    [
      ['', { type: 'message-start' }],
      ['', { type: 'content-delta', delta: { message: { content: { text: 'Hi' } } } }],
      ['', { type: 'tool-call-start', delta: { message: { tool_calls: call } } }],
      ['', { type: 'tool-call-start', delta: { message: { tool_calls: call } } }],
      ['', { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }],
    ],
  ],
  [
    'coze-chat',
    [
      ['conversation.message.delta', { type: 'answer', content: 'Hi' }],
      ['conversation.chat.completed', {}],
    ],
  ],
  [
    'dify-chat',
    [
      ['', { event: 'message', answer: 'Hi' }],
      ['', { event: 'message_end' }],
    ],
  ],
];

function eventsOf(format: UpstreamDialectId, stream: readonly [string, object][]): ResponseEvent[] {
  const decoder = getUpstreamDialect(format).chat?.createStreamDecoder(lost);
  const events = stream.flatMap(([name, event]) => decoder?.push({ ...event }, name) ?? []);
  return [...events, ...(decoder?.end(true) ?? [])];
}

function answers(client: DialectId, events: readonly ResponseEvent[], stream: boolean): unknown[] {
  const { chat } = getDialect(client);
  if (chat === undefined) return [];
  const written = encodeAsRequested(chat, events, sampleRequest(client, { stream }), lost);
  if (!stream) return [JSON.parse(written)];
  return parseSseEvents(Buffer.from(written)).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]));
}

const idNames = new Set(['id', 'call_id', 'responseId', 'item_id']);

/** Values of members with the id of a response, an item or a call, at any depth. */
function idsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (idNames.has(name) ? [inner] : idsIn(inner)));
}

/** Adds every name that a dialect has for the id and the model of a response. */
function withNames(event: object, name: string): object {
  const both = { id: name, model: name };
  const names = { ...both, responseId: name, modelVersion: name, chat_id: name, message_id: name };
  const { message, response } = event as { message?: object; response?: object };
  return {
    ...event,
    ...names,
    ...(message !== undefined && { message: { ...message, ...both } }),
    ...(response !== undefined && { response: { ...response, ...both } }),
  };
}

const clients: DialectId[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];
const ways = nameless.flatMap(([upstream, stream], number) =>
  clients.flatMap((client) => [true, false].map((isStreamed) => ({ number, upstream, stream, client, isStreamed }))),
);

describe('a response of an upstream without ids', () => {
  it.each(ways)(
    'gets unique ids: upstream $number $upstream, client $client, streamed: $isStreamed',
    ({ upstream, stream, client, isStreamed }) => {
      const responses = [0, 1].map(() => answers(client, eventsOf(upstream, stream), isStreamed));
      const ids = responses.map((response) => new Set(idsIn(response)));
      for (const own of ids) {
        expect(own.size).toBeGreaterThan(0);
        for (const id of own) expect(id).toMatch(/^[\w-]{16,}$/);
      }
      const [first = new Set(), second = new Set()] = ids;
      expect([...first].filter((id) => second.has(id))).toEqual([]);
      expect(first.size).toBe(second.size);
    },
  );

  it.each(ways)(
    'repeats no id or model of any length: upstream $number $upstream, client $client, streamed: $isStreamed',
    ({ upstream, stream, client, isStreamed }) => {
      const long = stream.map(([type, event]): [string, object] => [type, withNames(event, '#'.repeat(100_000))]);
      const written = JSON.stringify(answers(client, eventsOf(upstream, long), isStreamed));
      expect(written.length).toBeLessThan(20_000);
    },
  );

  it.each(ways.filter(({ stream, isStreamed }) => !isStreamed && JSON.stringify(stream).includes('find')))(
    'gets different ids for its two calls: upstream $number $upstream, client $client',
    ({ upstream, stream }) => {
      const calls = eventsOf(upstream, stream).flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
      expect(new Set(calls).size).toBe(2);
    },
  );

  it.each(clients)('keeps one id through a stream for a client of %s', (client) => {
    const events = eventsOf('bedrock-converse', nameless[5]?.[1] ?? []);
    const own = (answers(client, events, true) as Record<string, unknown>[]).flatMap(
      ({ id, responseId, message, response }) =>
        [id, responseId, idsIn(message)[0], (response as { id?: unknown } | undefined)?.id].filter(
          (value) => value !== undefined,
        ),
    );
    expect(new Set(own).size).toBe(1);
  });
});
