import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const clients = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
type Client = (typeof clients)[number];

/** One JSON for a non-streaming response, a list of events for a stream. */
interface Case {
  provider: string;
  options?: Record<string, string>;
  whole?: unknown;
  stream?: readonly string[];
}

function event(json: unknown): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}

const done = 'data: [DONE]\n\n';

function chunk(delta: unknown, finish_reason: string | null = null, fields: object = {}): string {
  return event({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }], ...fields });
}

function message(message: unknown, finish_reason: string | null): unknown {
  return { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason }] };
}

function candidate(finishReason: string, parts?: unknown[]): unknown {
  return {
    candidates: [{ content: { role: 'model', ...(parts && { parts }) }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    responseId: 'g',
  };
}

function anthropicStream(...events: readonly { type: string }[]): string[] {
  return events.map((json) => `event: ${json.type}\n${event(json)}`);
}

function reader(client: Client, { provider, options = {} }: Case, stream: boolean): ResponseReader {
  const target = sampleTarget(provider, { options });
  return planExchange(sampleRequest(client, stream ? { stream } : {}), target).readResponse();
}

function outcome(client: Client, from: Case, body: string, stream: boolean): UpstreamError | string {
  const reading = reader(client, from, stream);
  try {
    return Buffer.concat([reading.push(Buffer.from(body)), reading.end()]).toString();
  } catch (error) {
    if (error instanceof UpstreamError) {
      expect(reading.meter.deliveredCharacters).toBe(0);
      return error;
    }
    throw error;
  }
}

function outcomes(from: Case, client: Client): (UpstreamError | string)[] {
  const { whole, stream } = from;
  return [
    ...(whole === undefined ? [] : [outcome(client, from, JSON.stringify(whole), false)]),
    ...(stream === undefined ? [] : [outcome(client, from, stream.join(''), true)]),
  ];
}

const usage = { prompt_tokens: 4, completion_tokens: 0, total_tokens: 4 };
const start = { type: 'message_start', message: { id: 'm', model: 'c', content: [], usage: { input_tokens: 3 } } };
const stop = { type: 'message_stop' };

function ended(stop_reason: string | null): { type: string } {
  const delta = { stop_reason, stop_sequence: null };
  return Object.assign({ type: 'message_delta' }, { delta, usage: { output_tokens: 1 } });
}

const geminiFailures = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'LANGUAGE',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
  'OTHER',
  'FINISH_REASON_UNSPECIFIED',
];

const empty: readonly (readonly [string, Case])[] = [
  ['a stream of [DONE] alone', { provider: 'custom', stream: [done] }],
  [
    'usage alone',
    { provider: 'custom', whole: { id: 'c', choices: [], usage }, stream: [event({ choices: [], usage }), done] },
  ],
  [
    'a role alone',
    {
      provider: 'custom',
      whole: message({ role: 'assistant', content: null }, null),
      stream: [chunk({ role: 'assistant', content: '' }), done],
    },
  ],
  [
    'tool_calls without a call',
    {
      provider: 'custom',
      whole: message({ content: '', tool_calls: [] }, 'tool_calls'),
      stream: [chunk({ tool_calls: [] }, 'tool_calls'), done],
    },
  ],
  [
    'tool_calls with a call that has no name',
    {
      provider: 'custom',
      whole: message(
        { content: null, tool_calls: [{ id: '', type: 'function', function: { name: '', arguments: '' } }] },
        'tool_calls',
      ),
      stream: [
        chunk({ tool_calls: [{ index: 0, id: '', type: 'function', function: { name: '', arguments: '' } }] }),
        chunk({}, 'tool_calls'),
        done,
      ],
    },
  ],
  [
    'function_call without a call',
    {
      provider: 'custom',
      whole: message({ content: null, function_call: { name: '', arguments: '' } }, 'function_call'),
      stream: [chunk({}, 'function_call'), done],
    },
  ],
  ...[
    'malformed_function_call',
    'MALFORMED_FUNCTION_CALL',
    'insufficient_system_resource',
    'network_error',
    'error',
  ].map(
    (reason) =>
      [
        `the Chat reason ${reason}`,
        { provider: 'custom', whole: message({ content: '' }, reason), stream: [chunk({ content: '' }, reason), done] },
      ] as const,
  ),
  ...geminiFailures.map(
    (reason) =>
      [
        `the Gemini reason ${reason}`,
        { provider: 'gemini', whole: candidate(reason), stream: [event(candidate(reason))] },
      ] as const,
  ),
  [
    'a Gemini stream of usage alone',
    {
      provider: 'gemini',
      whole: { usageMetadata: { promptTokenCount: 7 } },
      stream: [event({ usageMetadata: { promptTokenCount: 7 } })],
    },
  ],
  ...['queued', 'in_progress', 'cancelled'].map(
    (status) =>
      [
        `a whole response that is ${status}`,
        {
          provider: 'openai',
          options: { api: 'responses' },
          whole: { id: 'resp', object: 'response', status, output: [], usage: { input_tokens: 3 } },
        },
      ] as const,
  ),
  ['a Converse response without a reason', { provider: 'bedrock', whole: { output: {}, usage: { inputTokens: 3 } } }],
  [
    'an Anthropic message without a reason',
    {
      provider: 'anthropic',
      whole: { type: 'message', role: 'assistant', content: [], stop_reason: null },
      stream: anthropicStream(start, stop),
    },
  ],
  [
    'tool_use without a call',
    {
      provider: 'anthropic',
      whole: { type: 'message', role: 'assistant', content: [], stop_reason: 'tool_use' },
      stream: anthropicStream(start, ended('tool_use'), stop),
    },
  ],
];

describe('a response that ends without content', () => {
  for (const [name, given] of empty) {
    it.each(clients)(`gives a client of %s an error after ${name}`, (client) => {
      for (const result of outcomes(given, client))
        expect(result).toMatchObject({ name: 'UpstreamError', kind: 'overloaded', status: 200 });
    });
  }

  it.each(['NO_IMAGE', 'LANGUAGE', 'MALFORMED_RESPONSE', 'OTHER'])('reports %s as unusable output', (reason) => {
    const gemini = { provider: 'gemini', whole: candidate(reason, []) };
    const openai = { provider: 'custom', whole: { choices: [{ index: 0, finish_reason: reason.toLowerCase() }] } };
    for (const given of [gemini, openai])
      for (const client of clients)
        for (const result of outcomes(given, client)) expect(result).toMatchObject({ code: 'invalid_output' });
  });

  const thought = { text: 'Let me see.', thought: true };
  it.each(clients)(
    'gives a client of %s an error after thoughts and a malformed call in a non-streaming response',
    (client) => {
      const [result] = outcomes({ provider: 'gemini', whole: candidate('MALFORMED_FUNCTION_CALL', [thought]) }, client);
      expect(result).toMatchObject({ kind: 'overloaded', code: 'malformed_call' });
    },
  );
});

const text = 'Here it is.';
const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '' } };
const complete: readonly (readonly [string, Case])[] = [
  [
    '[DONE] after text',
    { provider: 'custom', whole: message({ content: text }, null), stream: [chunk({ content: text }), done] },
  ],
  [
    'tool_calls after text alone',
    {
      provider: 'custom',
      whole: message({ content: text }, 'tool_calls'),
      stream: [chunk({ content: text }), chunk({ tool_calls: [] }, 'tool_calls'), done],
    },
  ],
  [
    'stop without text',
    { provider: 'custom', whole: message({ content: '' }, 'stop'), stream: [chunk({ content: '' }, 'stop'), done] },
  ],
  [
    'length without text',
    { provider: 'custom', whole: message({ content: '' }, 'length'), stream: [chunk({ content: '' }, 'length'), done] },
  ],
  [
    'content_filter without text',
    {
      provider: 'custom',
      whole: message({ content: '' }, 'content_filter'),
      stream: [chunk({ content: '' }, 'content_filter'), done],
    },
  ],
  [
    'a call without arguments',
    {
      provider: 'custom',
      whole: message({ content: null, tool_calls: [call] }, 'tool_calls'),
      stream: [chunk({ tool_calls: [{ ...call, index: 0 }] }), chunk({}, 'tool_calls'), done],
    },
  ],
  [
    'a legacy call without arguments',
    {
      provider: 'custom',
      whole: message({ content: null, function_call: call.function }, 'function_call'),
      stream: [chunk({ function_call: call.function }), chunk({}, 'function_call'), done],
    },
  ],
  ...geminiFailures.map(
    (reason) =>
      [
        `the Gemini reason ${reason} behind text`,
        { provider: 'gemini', whole: candidate(reason, [{ text }]), stream: [event(candidate(reason, [{ text }]))] },
      ] as const,
  ),
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'IMAGE_SAFETY', 'RECITATION'].map(
    (reason) =>
      [
        `the Gemini reason ${reason} without text`,
        { provider: 'gemini', whole: candidate(reason), stream: [event(candidate(reason))] },
      ] as const,
  ),
  [
    'a Gemini call without arguments',
    {
      provider: 'gemini',
      whole: candidate('UNEXPECTED_TOOL_CALL', [{ functionCall: { name: 'find' } }]),
      stream: [event(candidate('UNEXPECTED_TOOL_CALL', [{ functionCall: { name: 'find' } }]))],
    },
  ],
  [
    'a blocked Gemini prompt',
    {
      provider: 'gemini',
      whole: { promptFeedback: { blockReason: 'SAFETY' } },
      stream: [event({ promptFeedback: { blockReason: 'SAFETY' } })],
    },
  ],
  [
    'an empty turn of Claude’s',
    {
      provider: 'anthropic',
      whole: { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' },
      stream: anthropicStream(start, ended('end_turn'), stop),
    },
  ],
  [
    'Claude’s call without arguments',
    {
      provider: 'anthropic',
      whole: {
        type: 'message',
        content: [{ type: 'tool_use', id: 't', name: 'find', input: {} }],
        stop_reason: 'tool_use',
      },
      stream: anthropicStream(
        start,
        Object.assign(
          { type: 'content_block_start' },
          { index: 0, content_block: { type: 'tool_use', id: 't', name: 'find', input: {} } },
        ),
        Object.assign({ type: 'content_block_stop' }, { index: 0 }),
        ended('tool_use'),
        stop,
      ),
    },
  ],
  [
    'a reason of Claude’s that is unknown',
    {
      provider: 'anthropic',
      whole: { type: 'message', role: 'assistant', content: [], stop_reason: 'compaction' },
      stream: anthropicStream(start, ended('compaction'), stop),
    },
  ],
];

describe('a response with content, or with a reason for its absence', () => {
  for (const [name, given] of complete) {
    it.each(clients)(`delivers the answer to a client of %s after ${name}`, (client) => {
      for (const result of outcomes(given, client)) expect(typeof result).toBe('string');
    });
  }

  it.each(clients)('gives a client of %s the reason stop when the upstream claims calls after text alone', (client) => {
    if (client === 'openai-chat') return;
    for (const result of outcomes(complete[1]?.[1] ?? { provider: 'custom' }, client)) {
      expect(result).toContain(text);
      expect(result).not.toMatch(/tool_use|function_call|functionCall/);
    }
  });
});

describe('a call from a server that writes every field', () => {
  const zero = {
    role: 'assistant',
    content: '',
    refusal: '',
    audio: { id: '', data: '', transcript: '' },
    function_call: { name: '', arguments: '' },
  };
  const named = { name: 'find', arguments: '{"q":1}' };
  const nothing = { name: '', arguments: '' };
  const forms: readonly (readonly [string, unknown])[] = [
    ['an empty custom field', { id: 'a', type: 'function', function: named, custom: { name: '', input: '' } }],
    ['no type', { id: 'a', function: named, custom: { name: '', input: '' } }],
    ['an empty type', { id: 'a', type: '', function: named, custom: null }],
    ['an empty id', { id: '', type: 'function', function: named, custom: { name: '', input: '' } }],
  ];

  for (const [name, call] of forms) {
    it.each(clients)(`gives a client of %s the named call of a Chat upstream that writes ${name}`, (client) => {
      if (client === 'openai-chat') return;
      const empties = { id: '', type: '', function: nothing, custom: { name: '', input: '' } };
      const results = outcomes(
        {
          provider: 'custom',
          whole: message({ ...zero, tool_calls: [call] }, 'tool_calls'),
          stream: [
            chunk({ ...zero, tool_calls: [{ index: 0, ...(call as object) }] }),
            chunk({ ...zero, tool_calls: [{ index: 0, ...empties }] }, 'tool_calls'),
            done,
          ],
        },
        client,
      );
      for (const result of results) {
        expect(result).toContain('find');
        expect(result).not.toMatch(/"name": ?""/);
      }
    });
  }

  it('omits a Chat call without a name', () => {
    const [result] = outcomes(
      {
        provider: 'custom',
        whole: message({ content: text, tool_calls: [{ id: 'a', type: 'function', function: nothing }] }, 'tool_calls'),
      },
      'anthropic-messages',
    );
    expect(JSON.parse(String(result))).toMatchObject({ content: [{ type: 'text', text }], stop_reason: 'end_turn' });
  });
});
