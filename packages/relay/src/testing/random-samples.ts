/** Random parts of conversations and responses for property tests. */
import * as fc from 'fast-check';
import type { Citation, FinishReason, ResponseEvent } from '../model/conversation.ts';
import type { ReasoningSignature } from '../model/reasoning-signature.ts';
import { emptyUsage, type Usage } from '../model/usage.ts';

export type Draw = fc.GeneratorValue;

export const word = (): fc.Arbitrary<string> => fc.stringMatching(/^[a-z]{1,8}$/);
export const base64 = (): fc.Arbitrary<string> => fc.base64String({ minLength: 4, maxLength: 16 });
export const cacheMark = (): fc.Arbitrary<'5m' | '1h' | undefined> => fc.constantFrom(undefined, '5m', '1h');
/** Generates text with at least one character that is not white space. */
export const text = (): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '');

export function maybe<T>(draw: Draw, make: () => T): T | undefined {
  return draw(fc.boolean) ? make() : undefined;
}

export function several<T>(draw: Draw, most: number, make: (index: number) => T, least = 0): T[] {
  return Array.from({ length: draw(fc.integer, { min: least, max: most }) }, (_, index) => make(index));
}

export function file(draw: Draw, mediaType: string): { mediaType: string; base64: string } {
  // No file of another type begins with three zero bytes.
  return { mediaType, base64: `AAAA${draw(base64)}` };
}

export function proof(
  draw: Draw,
  origin: ReasoningSignature['origin'],
  kind: ReasoningSignature['kind'] = 'signature',
): ReasoningSignature {
  return { origin, kind, value: draw(base64) };
}

function usage(draw: Draw): Usage {
  const count = (): number => draw(fc.integer, { min: 1, max: 1_000 });
  return { ...emptyUsage(), input: count(), cachedRead: count(), output: count(), reasoning: count() };
}

function citation(draw: Draw, start: number, end: number): Citation {
  return { url: `https://${draw(word)}.test/`, title: draw(word), quote: draw(word), start, end };
}

/** Generates a response that every chat dialect can express, with interleaved fragments of calls. */
export function answer(draw: Draw, own: ReasoningSignature['origin']): ResponseEvent[] {
  const texts = several(draw, 3, () => draw(text));
  const calls = several(draw, 3, (index) => ({ index, callId: `call_${index}`, name: draw(word) }));
  const cited = maybe(draw, () => citation(draw, 0, texts.join('').length));
  return [
    { type: 'start', id: draw(word), model: draw(word) },
    ...(draw(fc.boolean) ? thought(draw, own) : []),
    ...texts.map((text): ResponseEvent => ({ type: 'text', text })),
    ...(cited === undefined || texts.length === 0 ? [] : [{ type: 'citation' as const, citation: cited }]),
    ...calls.map((call): ResponseEvent => ({ type: 'tool-call', ...call })),
    ...[0, 1].flatMap((half) =>
      calls.map(({ index, name }): ResponseEvent => {
        const json = JSON.stringify({ [name]: index });
        return { type: 'tool-arguments', index, text: half === 0 ? json.slice(0, 3) : json.slice(3) };
      }),
    ),
    { type: 'usage', usage: usage(draw) },
    { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : draw(endings) },
  ];
}

const endings = (): fc.Arbitrary<FinishReason> => fc.constantFrom('stop', 'length');

function thought(draw: Draw, own: ReasoningSignature['origin']): ResponseEvent[] {
  return [
    { type: 'reasoning', text: draw(text) },
    { type: 'reasoning-proof', signature: proof(draw, own) },
  ];
}

/** Summarizes a response independently of its division into events. */
export function summarizeEvents(events: readonly ResponseEvent[]): unknown {
  const joined = (type: ResponseEvent['type']): string =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []));
  const argumentsOf = (index: number): string =>
    events.map((event) => (event.type === 'tool-arguments' && event.index === index ? event.text : '')).join('');
  return {
    text: joined('text'),
    refusal: joined('refusal'),
    reasoning: joined('reasoning'),
    calls: calls.map(({ index, callId, name }) => [callId, name, argumentsOf(index)]),
    rest: events.filter((event) => !('text' in event) && event.type !== 'tool-call'),
  };
}
