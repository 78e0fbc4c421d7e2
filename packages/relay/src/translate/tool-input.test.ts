import { describe, expect, it } from 'vitest';
import { getDialect, getUpstreamDialect } from '../exchange/dialect-registry.ts';
import { planExchange } from '../exchange/plan-exchange.ts';
import { objectOf } from '../json/json.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { stringifyArguments, toToolInput } from './tool-input.ts';

describe('the arguments of a call in a history', () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    [{ a: 1 }, '{"a":1}'],
    [{ id: 9007199254740993n }, '{"id":9007199254740993}'],
    ['', '{}'],
    [undefined, '{}'],
    [null, '{}'],
    [7, '{}'],
  ])('are text, whatever the client stored: %j', (kept, expected) => {
    expect(stringifyArguments(kept)).toBe(expected);
  });

  it.each(['anthropic', 'gemini', 'custom'])('reach %s as an object', (provider) => {
    const call = { call_id: 'c1', name: 'f', arguments: { city: 'Oslo' } };
    const input = [
      { role: 'user', content: 'x' },
      { type: 'function_call', ...call },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ];
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ];
    const target = sampleTarget(provider, { options: { api: 'responses' } });
    for (const request of [sampleRequest('openai-responses', { input }), sampleRequest('openai-chat', { messages })])
      expect(planExchange(request, target).body.toString()).toMatch(/\{\\?"city\\?":\s?\\?"Oslo\\?"\}/);
  });
});

type Upstream = 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini' | 'bedrock-converse';

const clients = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini'] as const;

/** Returns a whole response with one call, whose arguments are written unchanged. */
const answers: Readonly<Record<Upstream, (given: unknown) => unknown>> = {
  'openai-chat': (given) => ({
    id: 'x',
    choices: [
      {
        index: 0,
        message: { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: given } }] },
        finish_reason: 'tool_calls',
      },
    ],
  }),
  'anthropic-messages': (given) => ({
    id: 'x',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c', name: 'f', input: given }],
    stop_reason: 'tool_use',
  }),
  'openai-responses': (given) => ({
    id: 'x',
    object: 'response',
    status: 'completed',
    output: [{ type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: given }],
  }),
  gemini: (given) => ({
    candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: given } }] }, finishReason: 'STOP' }],
  }),
  'bedrock-converse': (given) => ({
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: given } }] } },
    stopReason: 'tool_use',
  }),
};

/** Returns the same as the first payloads of a stream; decoders hand over calls before its end. */
const events: Readonly<Record<Upstream, (given: unknown) => readonly unknown[]>> = {
  'openai-chat': (given) => [
    {
      id: 'x',
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: given } }] } },
      ],
    },
  ],
  'anthropic-messages': (given) => [
    { type: 'message_start', message: { id: 'x' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: given } },
    { type: 'content_block_stop', index: 0 },
  ],
  'openai-responses': (given) => [
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: given },
    },
  ],
  gemini: (given) => [answers.gemini(given)],
  'bedrock-converse': (given) => [
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'c', name: 'f' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: given } } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
  ],
};

/** Returns a client's request with one call in its history. */
const histories: Readonly<Record<(typeof clients)[number], (given: unknown) => Record<string, unknown>>> = {
  'openai-chat': (given) => ({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: given } }] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ],
  }),
  'anthropic-messages': (given) => ({
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: given }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
    ],
  }),
  'openai-responses': (given) => ({
    input: [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: given },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
    ],
  }),
  gemini: (given) => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: given } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
    ],
  }),
};

/** A call without arguments is an empty list where PHP wrote it. */
const forms: readonly (readonly [string, unknown, unknown])[] = [
  ['an object', { city: 'Oslo', days: [1, { n: null }] }, { city: 'Oslo', days: [1, { n: null }] }],
  ['its text', '{"city":"Oslo","days":[1,{"n":null}]}', { city: 'Oslo', days: [1, { n: null }] }],
  ['an empty list', [], {}],
  ['nothing', undefined, {}],
  ['null', null, {}],
];

/** Returns the arguments of a call among events of an answer. */
function argumentsIn(said: readonly ResponseEvent[]): unknown {
  const text = said.map((event) => (event.type === 'tool-arguments' ? event.text : '')).join('');
  return toToolInput(text);
}

const upstreams = Object.keys(answers).filter((name): name is Upstream => name in answers);

describe.each(upstreams)('a call in a response of %s', (upstream) => {
  it.each(forms)('has arguments in the form of %s', (_, given, expected) => {
    const dialect = getUpstreamDialect(upstream);
    const whole = dialect.readNonStreaming(objectOf(answers[upstream](given)), new Set(), {});
    expect(argumentsIn(whole.events ?? [])).toEqual(expected);
    const decoder = dialect.chat?.createStreamDecoder(new Set());
    const streamed = events[upstream](given).flatMap((event) => decoder?.push(objectOf(event)) ?? []);
    expect(streamed.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(argumentsIn(streamed)).toEqual(expected);
  });
});

describe.each(clients)('a call in the history of a client of %s', (client) => {
  it.each(forms)('has arguments in the form of %s', (_, given, expected) => {
    const conversation = getDialect(client).chat?.decodeRequest(objectOf(histories[client](given)));
    const calls = (conversation?.turns ?? []).flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-call'));
    expect(calls).toHaveLength(1);
    expect(calls.map((call) => ('arguments' in call ? toToolInput(call.arguments) : undefined))).toEqual([expected]);
  });
});
