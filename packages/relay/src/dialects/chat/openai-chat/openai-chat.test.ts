import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../../../json/json.ts';
import type { Conversation, Part, ReasoningPart, Turn } from '../../../model/conversation.ts';
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
import { decodeRequest } from './decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamEncoder, encodeResponse } from './encode-response.ts';

function userPart(draw: Draw): Part {
  const cache = draw(cacheMark);
  switch (draw(fc.integer, { min: 0, max: 4 })) {
    case 0:
      return { type: 'text', text: draw(text), cache };
    case 1:
      return { type: 'image', source: file(draw, 'image/png'), detail: maybe(draw, () => 'low'), cache };
    case 2:
      return { type: 'file', name: draw(word), source: file(draw, 'application/pdf'), cache };
    case 3:
      return { type: 'audio', source: file(draw, 'audio/mpeg'), cache };
    default:
      return { type: 'video', source: { url: 'https://a.test/b.mp4' }, cache };
  }
}

/** All proven, or a single one that is not. */
function thoughts(draw: Draw): ReasoningPart[] {
  if (draw(fc.boolean)) return [{ type: 'reasoning', text: draw(text) }];
  return several(draw, 3, () =>
    draw(fc.boolean)
      ? { type: 'reasoning', text: draw(text), signature: proof(draw, 'openai-chat') }
      : { type: 'reasoning', text: '', signature: proof(draw, 'openai-chat', 'redacted') },
  );
}

function step(draw: Draw, index: number): Turn[] {
  const calls = several(draw, 3, (call) => `call_${index}_${call}`, 1);
  const words = maybe(draw, () => draw(text));
  const refusal = maybe(draw, () => draw(text));
  return [
    {
      role: 'assistant',
      parts: [
        ...thoughts(draw),
        ...(words === undefined ? [] : [{ type: 'text' as const, text: words }]),
        ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
        ...calls.flatMap((callId): Part[] => [
          ...(draw(fc.boolean) ? [{ type: 'reasoning' as const, text: '', signature: proof(draw, 'gemini') }] : []),
          { type: 'tool-call', callId, name: draw(word), arguments: draw(text) },
        ]),
      ],
    },
    {
      role: 'user',
      parts: calls.map((callId) => ({
        type: 'tool-result',
        callId,
        content: [{ type: 'text', text: draw(text) }],
        cache: draw(cacheMark),
      })),
    },
  ];
}

const contextSizes = () => fc.constantFrom('low' as const, 'medium' as const, undefined);
const tiers = () => fc.constantFrom('auto' as const, 'standard' as const, undefined);

function conversation(draw: Draw): Conversation {
  const tools = several(draw, 2, () => ({
    name: draw(word),
    description: maybe(draw, () => draw(text)),
    parameters: { type: 'object' },
    strict: maybe(draw, () => draw(fc.boolean)),
    cache: draw(cacheMark),
  }));
  const between: Turn[] = draw(fc.boolean) ? [{ role: 'system', parts: [{ type: 'text', text: draw(text) }] }] : [];
  const number = (min: number, max: number): number | undefined => maybe(draw, () => draw(fc.integer, { min, max }));
  return {
    system: several(draw, 1, () => ({ type: 'text', text: draw(text), cache: draw(cacheMark) })),
    turns: [
      { role: 'user', parts: several(draw, 3, () => userPart(draw), 1) },
      ...between,
      ...several(draw, 2, (index) => step(draw, index)).flat(),
    ],
    tools,
    vendorTools: several(draw, 1, () => ({
      type: 'web-search',
      contextSize: draw(contextSizes),
      userLocation: maybe(draw, () => ({ city: draw(word), country: maybe(draw, () => 'DE') })),
    })),
    toolChoice: tools.length > 0 ? { type: 'tool', name: draw(word) } : undefined,
    parallelToolCalls: tools.length > 0 ? draw(fc.boolean) : undefined,
    maxOutputTokens: number(0, 9),
    temperature: number(0, 2),
    topP: number(0, 1),
    stop: maybe(draw, () => several(draw, 4, () => draw(word), 1)),
    seed: number(-5, 5),
    presencePenalty: number(1, 2),
    frequencyPenalty: number(-2, -1),
    logprobs: number(0, 20),
    choices: number(2, 8),
    reasoning: maybe(draw, () => ({ effort: 'minimal' })),
    outputFormat: maybe(draw, () => ({
      type: 'json-schema',
      name: draw(word),
      schema: { type: 'object' },
      strict: draw(fc.boolean),
    })),
    verbosity: maybe(draw, () => 'high'),
    outputKinds: maybe(draw, () => ['text', 'audio']),
    speech: maybe(draw, () => ({ voice: draw(word), format: 'mp3' })),
    userId: maybe(draw, () => draw(word)),
    metadata: maybe(draw, () => ({ [draw(word)]: draw(text) })),
    cacheKey: maybe(draw, () => draw(word)),
    serviceTier: draw(tiers),
    unsupported: [],
  };
}

describe('the Chat Completions dialect', () => {
  it('round-trips a conversation through encoding and decoding', () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const asked = conversation(draw);
        const dropped: string[] = [];
        const body = encodeRequest(asked, { model: 'm', stream: false }, dropped);
        expect(decodeRequest(objectOf(JSON.parse(JSON.stringify(body))))).toEqual(asked);
        expect(dropped).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each([true, false])('round-trips a response through encoding and decoding (stream: %s)', (stream) => {
    const request = sampleRequest('openai-chat', { stream_options: { include_usage: true } });
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const lost = new Set<string>();
        const events = several(draw, 2, () => answer(draw, 'openai-chat'), 1).flatMap((events, choice) =>
          events
            .filter(({ type }) => choice === 0 || (type !== 'start' && type !== 'usage'))
            .map((event) => (choice === 0 ? event : { ...event, choice })),
        );
        for (const event of events)
          if (event.type === 'usage') event.usage.webSearch = events.some(({ type }) => type === 'citation') ? 1 : 0;
        const token = { token: draw(text), logprob: -draw(fc.nat), bytes: [draw(fc.nat)], top: [] };
        events.splice(1, 0, { type: 'logprobs', tokens: [token] });
        events.splice(1, 0, { type: 'image', mediaType: 'image/png', data: file(draw, 'image/png').base64 });
        const encoder = createStreamEncoder(request, lost);
        const decoder = createStreamDecoder(lost);
        const read = stream
          ? parseSseEvents(Buffer.from(events.map((event) => encoder.push(event)).join('') + encoder.end())).flatMap(
              ({ data }) => (data === '[DONE]' ? decoder.end(true) : decoder.push(JSON.parse(data))),
            )
          : decodeResponse(encodeResponse(events, request, lost), lost);
        for (const choice of [0, 1]) {
          const of = (all: typeof events): typeof events => all.filter((event) => (event.choice ?? 0) === choice);
          expect(sorted(summarizeEvents(of(read)))).toEqual(sorted(summarizeEvents(of(events))));
        }
        expect([...lost]).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** In which order a message names its pictures, sources and proofs is its own affair. */
function sorted(value: unknown): unknown {
  const { rest, ...others } = objectOf(value);
  const list = Array.isArray(rest) ? rest.map((event) => JSON.stringify(event)) : [];
  return { ...others, rest: list.toSorted() };
}
