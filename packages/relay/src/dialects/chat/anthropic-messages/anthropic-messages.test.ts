import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../../../json/json.ts';
import type { Conversation, Part, ResponseEvent, ResultPart, Turn } from '../../../model/conversation.ts';
import {
  answer,
  cacheMark,
  type Draw,
  file,
  maybe,
  proof,
  several,
  summarizeEvents,
  text,
  word,
} from '../../../testing/random-samples.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../wire/sse.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { encodeResponse } from './encoders/encode-response.ts';
import { createStreamEncoder } from './encoders/event-encoder.ts';

function plainPart(draw: Draw): ResultPart {
  const cache = draw(cacheMark);
  const name = maybe(draw, () => draw(word));
  switch (draw(fc.integer, { min: 0, max: 3 })) {
    case 0:
      return { type: 'text', text: draw(text), cache };
    case 1:
      return { type: 'image', source: file(draw, 'image/png'), cache };
    case 2: {
      const source = { mediaType: 'text/plain', base64: Buffer.from(draw(text)).toString('base64') };
      return { type: 'file', name, source, cache };
    }
    default:
      return { type: 'file', name, source: { url: 'https://a.test/b.pdf' }, cache };
  }
}

function step(draw: Draw, index: number): Turn[] {
  const calls = several(draw, 3, (call) => `toolu_${index}_${call}`, 1);
  const own = 'anthropic-messages';
  return [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: draw(text), signature: proof(draw, own) },
        ...several(draw, 1, (): Part => ({ type: 'reasoning', text: '', signature: proof(draw, own, 'redacted') })),
        ...several(draw, 2, (): Part => ({ type: 'text', text: draw(text), cache: draw(cacheMark) })),
        ...calls.map((callId): Part => {
          const args = JSON.stringify({ [draw(word)]: draw(text) });
          return { type: 'tool-call', callId, name: draw(word), arguments: args, cache: draw(cacheMark) };
        }),
      ],
    },
    {
      role: 'user',
      parts: [
        ...calls.map(
          (callId): Part => ({
            type: 'tool-result',
            callId,
            content: several(draw, 2, () => plainPart(draw)),
            isError: draw(fc.boolean) || undefined,
            cache: draw(cacheMark),
          }),
        ),
        ...several(draw, 1, () => plainPart(draw)),
      ],
    },
    ...several(draw, 1, (): Turn => ({ role: 'system', parts: [{ type: 'text', text: draw(text) }] })),
  ];
}

const tiers = () => fc.constantFrom('auto' as const, 'standard' as const, undefined);

function conversation(draw: Draw): Conversation {
  const isParallel = draw(fc.boolean);
  return {
    system: several(draw, 2, () => ({ type: 'text', text: draw(text), cache: draw(cacheMark) })),
    turns: [
      { role: 'user', parts: several(draw, 3, () => plainPart(draw), 1) },
      ...several(draw, 2, (index) => step(draw, index)).flat(),
    ],
    tools: several(
      draw,
      2,
      () => ({
        name: draw(word),
        description: maybe(draw, () => draw(text)),
        parameters: { type: 'object', additionalProperties: false },
        strict: maybe(draw, () => draw(fc.boolean)),
        cache: draw(cacheMark),
      }),
      1,
    ),
    vendorTools: [
      {
        type: 'web-search',
        maxUses: maybe(draw, () => 3),
        allowedDomains: maybe(draw, () => [draw(word)]),
        userLocation: maybe(draw, () => ({ city: draw(word), timezone: maybe(draw, () => 'UTC') })),
      },
      { type: 'url-fetch', maxUses: maybe(draw, () => 2) },
      { type: 'code-execution' },
    ],
    toolChoice: isParallel ? maybe(draw, () => ({ type: 'none' })) : { type: 'auto' },
    parallelToolCalls: isParallel ? undefined : false,
    maxOutputTokens: draw(fc.integer, { min: 1, max: 9 }),
    stop: maybe(draw, () => several(draw, 4, () => draw(word), 1)),
    reasoning: maybe(draw, () => ({ effort: 'xhigh', isShown: draw(fc.boolean) })),
    outputFormat: maybe(draw, () => ({
      type: 'json-schema',
      name: 'answer',
      schema: { type: 'object', additionalProperties: false },
    })),
    userId: maybe(draw, () => draw(word)),
    serviceTier: draw(tiers),
    unsupported: [],
  };
}

describe('the Messages dialect', () => {
  it('round-trips a conversation through encoding and decoding', () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const asked = conversation(draw);
        const dropped: string[] = [];
        const body = encodeRequest(asked, { model: 'claude-opus-4-8', stream: false }, dropped);
        expect(decodeRequest(objectOf(JSON.parse(JSON.stringify(body))))).toEqual(asked);
        expect(dropped).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each([true, false])('round-trips a response through encoding and decoding (stream: %s)', (stream) => {
    const request = sampleRequest('anthropic-messages', { thinking: { type: 'adaptive' } });
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const lost = new Set<string>();
        const events = answer(draw, 'anthropic-messages');
        const call = {
          tool: 'web-search' as const,
          callId: 'srvtoolu_1',
          input: draw(text),
          sources: several(draw, 2, () => ({ url: draw(word), title: draw(text) }), 1),
        };
        events.splice(1, 0, { type: 'vendor-call', call });
        const encoder = createStreamEncoder(request, lost);
        const decoder = createStreamDecoder(lost);
        const read: ResponseEvent[] = stream
          ? parseSseEvents(Buffer.from(events.map((event) => encoder.push(event)).join('') + encoder.end())).flatMap(
              ({ data }) => decoder.push(objectOf(JSON.parse(data))),
            )
          : decodeResponse(encodeResponse(events, request, lost), lost);
        // A report without searches leaves the count to the call.
        const counted = events.map((event) =>
          event.type === 'usage' && event.usage.webSearch === 0
            ? { ...event, usage: { ...event.usage, webSearch: 1 } }
            : event,
        );
        expect(summarizeEvents(read)).toEqual(summarizeEvents(counted));
        expect([...lost]).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
