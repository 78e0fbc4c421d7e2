/** OpenAI's Responses, written from anything that an answer can be: a legal stream, of which its client makes the whole. */
import * as fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { AnswerEvent } from '../../packages/relay/src/conversation.ts';
import { encodeAnswer } from '../../packages/relay/src/formats/openai-responses/encode-answer.ts';
import { createStreamEncoder } from '../../packages/relay/src/formats/openai-responses/event-encoder.ts';
import { sampleRequest } from '../../packages/relay/src/samples.ts';
import { checkResponseEvents } from './response-events.ts';

const text = fc.string({ minLength: 1, maxLength: 4 });
const index = fc.nat(2);
const proof = fc.record({
  origin: fc.constantFrom('anthropic-messages' as const, 'openai-chat' as const),
  kind: fc.constantFrom('signature' as const, 'redacted' as const),
  value: text,
});
const vendorCall = fc.record({
  tool: fc.constantFrom('web-search' as const, 'code-execution' as const, 'url-fetch' as const),
  callId: text,
  input: text,
  isError: fc.boolean(),
});
const citation = fc.record({ url: text, title: text, start: fc.integer(), end: fc.integer() });
const tokens = fc.array(
  fc.record({
    token: text,
    logprob: fc.constant(-1),
    top: fc.array(fc.record({ token: text, logprob: fc.constant(-2) }), { maxLength: 1 }),
  }),
  {
    minLength: 1,
    maxLength: 2,
  },
);
const event: fc.Arbitrary<AnswerEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'refusal', 'reasoning'), text }),
  fc.record({ type: fc.constant('reasoning-proof'), proof }),
  fc.record({ type: fc.constant('tool-call'), index, callId: text, name: fc.constantFrom('f', 'sql') }),
  fc.record({ type: fc.constant('tool-arguments'), index, text }),
  fc.record({ type: fc.constant('vendor-call'), call: vendorCall }),
  fc.record({ type: fc.constant('citation'), citation }),
  fc.record({ type: fc.constant('logprobs'), tokens }),
  fc.record({ type: fc.constant('image'), mediaType: fc.constant('image/png'), data: text }),
  fc.constant({ type: 'start', id: 'x', model: 'm' }),
);
const reason = fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'refusal', 'pause', 'other');
/** Has an id, from which the ids of its items are made; an answer without one gets new ids each time it is written. */
const answer = fc
  .tuple(fc.array(event, { maxLength: 12 }), reason)
  .map(([events, reason]): AnswerEvent[] => [
    { type: 'start', id: 'x', model: 'm' },
    ...events,
    { type: 'finish', reason },
  ]);

const request = sampleRequest('openai-responses', {
  tools: [{ type: 'custom', name: 'sql' }],
  include: ['message.output_text.logprobs'],
});

function streamOf(events: readonly AnswerEvent[]): Buffer {
  const encoder = createStreamEncoder(request, new Set());
  return Buffer.from(events.map((event) => encoder.push(event)).join('') + encoder.end());
}

describe('whatever an answer says', () => {
  it('the stream is legal, and ends with the whole answer', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const bytes = streamOf(events);
        checkResponseEvents(bytes);
        const last = JSON.parse(bytes.toString('utf8').trim().split('\ndata: ').at(-1) ?? '');
        const differing = { id: 'resp_', created_at: 0, completed_at: 0 };
        const whole = encodeAnswer(events, request, new Set());
        expect({ ...last.response, ...differing }).toEqual({ ...whole, ...differing });
      }),
      { numRuns: 300 },
    );
  });

  it('OpenAI’s client reads it to the end, and has the same', async () => {
    await fc.assert(
      fc.asyncProperty(answer, async (events) => {
        const fetch = async (): Promise<Response> =>
          new Response(new Uint8Array(streamOf(events)), {
            headers: { 'content-type': 'text/event-stream' },
          });
        const client = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 });
        const { output } = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
        expect(output).toMatchObject(encodeAnswer(events, request, new Set())['output'] ?? []);
      }),
      { numRuns: 100 },
    );
  });
});
