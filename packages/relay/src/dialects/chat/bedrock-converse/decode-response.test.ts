import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../../errors/upstream-error.ts';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import { isObject, parseJson } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { sampleRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

function read(events: readonly unknown[]): { events: ResponseEvent[]; lost: string[] } {
  const lost = new Set<string>();
  const decoder = createStreamDecoder(lost);
  const said = events.filter(isObject).flatMap((event) => decoder.push(event));
  return { events: [...said, ...decoder.end(false)], lost: [...lost] };
}

const delta = (contentBlockIndex: number, delta: object): object => ({
  contentBlockDelta: { contentBlockIndex, delta },
});
const stop = (contentBlockIndex: number): object => ({ contentBlockStop: { contentBlockIndex } });
const call = (contentBlockIndex: number, toolUseId: string, name: string): object => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } },
});
const end = { messageStop: { stopReason: 'end_turn' } };

describe('a stream', () => {
  it('emits signed thoughts, text and calls in order', () => {
    const { events } = read([
      { messageStart: { role: 'assistant' } },
      delta(0, { reasoningContent: { text: 'hm' } }),
      delta(0, { reasoningContent: { signature: 'sig' } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: 'cmVk' } }),
      stop(1),
      delta(2, { text: 'so' }),
      stop(2),
      call(3, 'a', 'one'),
      delta(3, { toolUse: { input: '{"x":' } }),
      delta(3, { toolUse: { input: '1}' } }),
      stop(3),
      call(4, 'b', 'two'),
      delta(4, { toolUse: { input: '' } }),
      stop(4),
      { messageStop: { stopReason: 'tool_use' } },
    ]);
    const origin = 'bedrock-converse';
    expect(events).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'reasoning-proof', signature: { origin, kind: 'signature', value: 'sig' } },
      { type: 'reasoning-proof', signature: { origin, kind: 'redacted', value: 'cmVk' } },
      { type: 'text', text: 'so' },
      { type: 'tool-call', index: 0, callId: 'a', name: 'one' },
      { type: 'tool-arguments', index: 0, text: '{"x":' },
      { type: 'tool-arguments', index: 0, text: '1}' },
      { type: 'tool-call', index: 1, callId: 'b', name: 'two' },
      { type: 'tool-arguments', index: 1, text: '{}' },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('ends after the usage, which precedes or follows the stop reason', () => {
    const usage = { metadata: { usage: { inputTokens: 3, outputTokens: 4 } } };
    for (const order of [
      [usage, end],
      [end, usage],
    ]) {
      const { events } = read(order);
      expect(events).toMatchObject([
        { type: 'usage', usage: { input: 3, output: 4 } },
        { type: 'finish', reason: 'stop' },
      ]);
    }
    expect(read([delta(0, { text: 'a' }), usage]).events.map(({ type }) => type)).toEqual(['text', 'usage']);
  });

  it('emits the citations of a block', () => {
    const citation = { title: 'T', location: { web: { url: 'https://a.test' } }, sourceContent: [{ text: 'q' }] };
    const { events } = read([
      delta(0, { text: 'abc' }),
      stop(0),
      delta(1, { text: 'de' }),
      delta(1, { citation }),
      stop(1),
      end,
    ]);
    expect(events).toContainEqual({
      type: 'citation',
      citation: { url: 'https://a.test', title: 'T', quote: 'q', start: 3, end: 5 },
    });
  });

  it('reports fields without a neutral form', () => {
    const tool = { toolUse: { toolUseId: 's', name: 'nova_grounding', type: 'server_tool_use' } };
    const { events, lost } = read([
      { contentBlockStart: { contentBlockIndex: 0, start: tool } },
      delta(0, { toolUse: { input: '{}' } }),
      delta(1, { image: { format: 'png' } }),
      end,
    ]);
    expect(events).toEqual([{ type: 'finish', reason: 'stop' }]);
    expect(lost).toEqual(['toolUse.server_tool_use', 'content.image']);
  });
});

describe('usage', () => {
  it.each([
    [
      { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 },
      { input: 1, output: 2, cachedRead: 3, cacheWrite5m: 4, cacheWrite1h: 0 },
    ],
    [
      {
        inputTokens: 0,
        outputTokens: 2,
        cacheWriteInputTokens: 10,
        cacheDetails: [{ ttl: '1h', inputTokens: 4 }, { ttl: '5m', inputTokens: 6 }, null],
      },
      { input: 0, output: 2, cacheWrite5m: 6, cacheWrite1h: 4 },
    ],
    [
      { inputTokens: 1e300, outputTokens: -4 },
      { input: 100_000_000, output: 0 },
    ],
  ])('separates counters by their price: %j', (usage, counts) => {
    expect(read([{ metadata: { usage } }, end]).events).toMatchObject([{ usage: counts }, {}]);
  });

  it.each([undefined, null, {}, 'none', { totalTokens: 4 }])('is missing in %j', (usage) => {
    expect(read([{ metadata: { usage } }, end]).events).toEqual([{ type: 'finish', reason: 'stop' }]);
  });
});

it.each([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'malformed-call'],
  ['something_new', 'other'],
])('reads %s as %s', (stopReason, reason) => {
  expect(decodeResponse({ stopReason }, new Set())).toEqual([{ type: 'finish', reason }]);
});

describe('a non-streaming response', () => {
  it('has the same events as its stream', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
      { text: 'so' },
      { toolUse: { toolUseId: 'a', name: 'one', input: { x: 1 } } },
    ];
    const answer = { output: { message: { content } }, stopReason: 'tool_use', usage: { inputTokens: 1 } };
    const { events } = read([
      delta(0, content[0]?.reasoningContent ? { reasoningContent: { text: 'hm' } } : {}),
      delta(0, { reasoningContent: { signature: 'sig' } }),
      stop(0),
      delta(1, { text: 'so' }),
      stop(1),
      call(2, 'a', 'one'),
      delta(2, { toolUse: { input: '{"x":1}' } }),
      stop(2),
      { metadata: { usage: { inputTokens: 1 } } },
      { messageStop: { stopReason: 'tool_use' } },
    ]);
    expect(decodeResponse(answer, new Set())).toEqual(events);
  });

  it('refuses a response whose tool call is nested too deeply', () => {
    let input: object = {};
    for (let depth = 0; depth < 50_000; depth++) input = { input };
    const content = [{ toolUse: { toolUseId: 'a', name: 'one', input } }];
    expect(() => decodeResponse({ output: { message: { content } } }, new Set())).toThrow(
      expect.objectContaining({ kind: 'garbled', isTooLarge: true }),
    );
  });
});

const names = fc.constantFrom(
  ...(
    'output message content text toolUse toolUseId name input reasoningContent reasoningText signature usage metadata ' +
    'redactedContent citationsContent citations citation sourceContent location web url contentBlockStart start delta ' +
    'contentBlockDelta contentBlockStop contentBlockIndex messageStop stopReason inputTokens cacheDetails ttl type __proto__'
  ).split(' '),
);
const { body } = fc.letrec<{ body: object; value: unknown }>((tie) => ({
  body: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, '', 'x', 0, -1, 1e308),
    tie('body'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

it.each([true, false])('reads or refuses a response of any shape (stream: %s)', (stream) => {
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 6 }), (events) => {
      const target = sampleTarget('bedrock', { model: 'amazon.nova-lite-v1:0' });
      const reader = planExchange(sampleRequest('openai-responses', { stream }), target).readResponse();
      const texts = events.map((event) => JSON.stringify(event));
      try {
        reader.push(Buffer.from(stream ? texts.map((one) => `data: ${one}\n\n`).join('') : (texts[0] ?? '')));
        reader.end();
      } catch (error) {
        expect(error).toBeInstanceOf(UpstreamError);
      }
      expect(reader.meter.usage?.input ?? 0).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 500 },
  );
});

/** Recorded traffic belongs to others and is outside the repository. */
const recorded = join(
  process.env['RECORDED_FIXTURES'] ?? resolve(import.meta.dirname, '../../../../../../../shared/fixtures/recorded'),
  'amazon-bedrock',
);
const files = existsSync(recorded) ? readdirSync(recorded).filter((name) => /\.(json|txt)$/.test(name)) : [];

describe.skipIf(files.length === 0)('recorded traffic', () => {
  it.each(files)('reads %s to its end', (name) => {
    const text = readFileSync(join(recorded, name), 'utf8');
    const whole = parseJson(text);
    const lost = new Set<string>();
    const events =
      isObject(whole) && name.endsWith('.json')
        ? decodeResponse(whole, lost)
        : read(text.split('\n').map((line) => parseJson(line))).events;
    expect(events.at(-1)?.type).toBe('finish');
    expect(events.some(({ type }) => type === 'text' || type === 'tool-call')).toBe(true);
    for (const event of events) if (event.type === 'tool-call') expect(event.name).not.toBe('');
    expect([...lost]).toEqual([]);
  });
});
