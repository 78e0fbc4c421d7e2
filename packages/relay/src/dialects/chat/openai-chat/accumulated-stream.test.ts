import * as fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { getDialect } from '../../../exchange/dialect-registry.ts';
import { createStartingEncoder, encodeAsRequested } from '../../../exchange/encode-chat-response.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { answer, base64, word } from '../../../testing/random-samples.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../wire/sse.ts';

type Json = Record<string, unknown>;

const lost = { add() {} };
const { chat } = getDialect('openai-chat');
const tools = [
  { type: 'custom', custom: { name: 'patch' } },
  { type: 'function', function: { name: 'find', parameters: { type: 'object' } } },
];

function streamOf(events: readonly ResponseEvent[]): string {
  if (chat === undefined) return '';
  const encoder = createStartingEncoder(chat, sampleRequest('openai-chat', { stream: true, tools }), lost);
  return events.map((event) => encoder.push(event)).join('') + encoder.end();
}

function wholeOf(events: readonly ResponseEvent[]): Json {
  const request = sampleRequest('openai-chat', { tools });
  return chat === undefined ? {} : JSON.parse(encodeAsRequested(chat, events, request, lost)).choices[0].message;
}

/** Adds a delta as OpenAI's Python client does: texts are joined, and lists of objects by their `index`. */
function addDelta(sum: Json, delta: Json): Json {
  for (const [key, value] of Object.entries(delta)) {
    const known = sum[key];
    if (known === undefined || known === null || key === 'index' || key === 'type') sum[key] = structuredClone(value);
    else if (typeof known === 'string' && typeof value === 'string') sum[key] = known + value;
    else if (Array.isArray(known) && Array.isArray(value)) {
      for (const entry of value as Json[]) {
        const { index } = entry;
        if (typeof index !== 'number') throw new TypeError(`An entry of ${key} has no index.`);
        if (index < known.length) addDelta(known[index], entry);
        else known.splice(index, 0, structuredClone(entry));
      }
    } else if (typeof known === 'object' && typeof value === 'object') addDelta(known as Json, value as Json);
  }
  return sum;
}

function pythonMessage(stream: string): Json {
  return parseSseEvents(Buffer.from(stream)).reduce<Json>((message, { data }) => {
    const delta = data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta;
    return delta === undefined ? message : addDelta(message, delta);
  }, {});
}

/** Returns the message that OpenAI's package for JavaScript assembles. */
async function javascriptMessage(stream: string): Promise<Json> {
  const headers = { 'content-type': 'text/event-stream' };
  const client = new OpenAI({ apiKey: 'k', fetch: () => Promise.resolve(new Response(stream, { headers })) });
  const runner = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
  return { ...(await runner.finalMessage()) };
}

const withoutIndex = (list: unknown): Json[] => ((list ?? []) as Json[]).map(({ index: _index, ...entry }) => entry);

const lists = ['reasoning_details', 'annotations', 'images', 'tool_calls'];

/** Everything that comes in lists, in any order and number. */
const listEvent = fc.oneof(
  fc.record({
    type: fc.constant('reasoning-proof' as const),
    signature: fc.record({
      origin: fc.constantFrom('anthropic-messages' as const, 'openai-responses' as const),
      kind: fc.constantFrom('signature' as const, 'redacted' as const),
      value: base64(),
    }),
  }),
  fc.record({ type: fc.constant('reasoning' as const), text: word() }),
  fc.record({ type: fc.constant('text' as const), text: word() }),
  fc.record({
    type: fc.constant('citation' as const),
    citation: fc.record({ url: fc.webUrl(), title: word(), start: fc.constant(0), end: fc.nat(9) }),
  }),
  fc.record({ type: fc.constant('image' as const), mediaType: fc.constant('image/png'), data: base64() }),
);

const calls = fc.array(fc.constantFrom('find', 'patch'), { maxLength: 4 }).map((names) => [
  ...names.map((name, index): ResponseEvent => ({ type: 'tool-call', index, callId: `call_${index}`, name })),
  ...names.flatMap((_name, index): ResponseEvent[] => [
    { type: 'tool-arguments', index, text: '{"input":' },
    { type: 'tool-arguments', index, text: `"${index}"}` },
  ]),
]);

const events = fc
  .tuple(fc.array(listEvent, { maxLength: 12 }), calls)
  .map(([said, called]): ResponseEvent[] => [
    { type: 'start', id: 'a', model: 'm' },
    ...said,
    ...called,
    { type: 'finish', reason: called.length > 0 ? 'tool-calls' : 'stop' },
  ]);

describe('a Chat Completions stream', () => {
  it('accumulates in OpenAI’s Python client to the message of the whole response', () => {
    fc.assert(
      fc.property(events, (said) => {
        const message = pythonMessage(streamOf(said));
        const whole = wholeOf(said);
        expect(message['role']).toBe('assistant');
        for (const name of lists) expect(withoutIndex(message[name])).toEqual(whole[name] ?? []);
      }),
      { numRuns: 150 },
    );
  });

  it('numbers the entries of each list from zero without a gap', () => {
    fc.assert(
      fc.property(events, (said) => {
        const message = pythonMessage(streamOf(said));
        for (const name of lists)
          expect(((message[name] ?? []) as Json[]).map(({ index }) => index)).toEqual([
            ...((message[name] ?? []) as Json[]).keys(),
          ]);
      }),
      { numRuns: 100 },
    );
  });

  it('accumulates all calls and texts in OpenAI’s JavaScript package', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (said) => {
        const message = await javascriptMessage(streamOf(said));
        const whole = wholeOf(said);
        expect(message['content'] ?? '').toBe(whole['content'] ?? '');
        expect(message['tool_calls'] ?? []).toMatchObject(withoutIndex(whole['tool_calls']));
      }),
      { numRuns: 60 },
    );
  });

  it('accumulates any response in both clients', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        const said = answer(draw, 'anthropic-messages');
        const stream = streamOf(said);
        const { content } = wholeOf(said);
        expect(pythonMessage(stream)['content'] ?? '').toBe(content ?? '');
        expect((await javascriptMessage(stream))['content'] ?? '').toBe(content ?? '');
      }),
      { numRuns: 40 },
    );
  });

  it('writes the id of audio once, because clients join repeated strings', () => {
    const piece = (data: string): ResponseEvent => ({ type: 'audio', mediaType: 'audio/wav', data });
    const message = pythonMessage(streamOf([piece('AAAA'), piece('BBBB'), { type: 'finish', reason: 'stop' }]));
    expect(message['audio']).toMatchObject({ data: 'AAAABBBB', id: expect.stringMatching(/^audio_\w{32}$/) });
  });
});
