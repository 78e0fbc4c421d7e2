/** Random responses in the neutral form, with every kind of content. */
import * as fc from 'fast-check';
import type { ResponseEvent } from '../../packages/relay/src/model/conversation.ts';
import { emptyUsage } from '../../packages/relay/src/model/usage.ts';

const text = fc.string({ minLength: 1, maxLength: 4 });
const base64 = fc.base64String({ minLength: 4, maxLength: 8 });
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
  output: fc.option(text, { nil: undefined }),
  sources: fc.option(fc.array(fc.record({ url: text, title: text }), { maxLength: 2 }), { nil: undefined }),
});
const citation = fc.record({
  url: text,
  title: text,
  quote: fc.option(text, { nil: undefined }),
  start: fc.integer(),
  end: fc.integer(),
});
const tokens = fc.array(
  fc.record({
    token: text,
    logprob: fc.constant(-1),
    top: fc.array(fc.record({ token: text, logprob: fc.constant(-2) }), { maxLength: 1 }),
  }),
  { minLength: 1, maxLength: 2 },
);
const count = fc.nat(9);
const usage = fc
  .record({
    input: count,
    cachedRead: count,
    cachedAudioInput: count,
    cachedImageInput: count,
    cacheWrite5m: count,
    cacheWrite1h: count,
    output: count,
    reasoning: count,
    audioInput: count,
    audioOutput: count,
    imageInput: count,
    imageOutput: count,
    webSearch: count,
  })
  .map((counts) => ({ ...emptyUsage(), ...counts }));
const event: fc.Arbitrary<ResponseEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'refusal', 'reasoning'), text }),
  fc.record({ type: fc.constant('reasoning-proof'), signature: proof }),
  fc.record({ type: fc.constant('tool-call'), index, callId: text, name: fc.constantFrom('f', 'sql') }),
  fc.record({ type: fc.constant('tool-arguments'), index, text }),
  fc.record({ type: fc.constant('vendor-call'), call: vendorCall }),
  fc.record({ type: fc.constant('citation'), citation }),
  fc.record({ type: fc.constant('logprobs'), tokens }),
  fc.record({ type: fc.constant('image'), mediaType: fc.constant('image/png'), data: base64 }),
  fc.record({ type: fc.constant('audio'), mediaType: fc.constant('audio/wav'), data: base64 }),
  fc.record({ type: fc.constant('usage'), usage }),
  fc.constant({ type: 'start', id: 'x', model: 'm' }),
);
const reason = fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'refusal', 'pause', 'other');

/** Has an id, from which the ids of its items are derived; without one, each encoding would have other ids. */
export const arbitraryResponse = fc
  .tuple(fc.array(event, { maxLength: 12 }), reason)
  .map(([events, reason]): ResponseEvent[] => [
    { type: 'start', id: 'x', model: 'm' },
    ...repairToolCalls(events),
    { type: 'finish', reason },
  ]);

/** Arguments follow their call, which begins once. */
function repairToolCalls(events: readonly ResponseEvent[]): ResponseEvent[] {
  const begun = new Set<number>();
  return events.filter((event) => {
    if (event.type === 'tool-arguments') return begun.has(event.index);
    if (event.type !== 'tool-call') return true;
    const isNew = !begun.has(event.index);
    begun.add(event.index);
    return isNew;
  });
}
