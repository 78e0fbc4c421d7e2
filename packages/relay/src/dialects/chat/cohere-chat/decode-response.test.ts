import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../../errors/upstream-error.ts';
import type { JsonObject } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

const lost = new Set<string>();

function streamed(...events: JsonObject[]): ResponseEvent[] {
  const decoder = createStreamDecoder(lost);
  return events.flatMap((event) => decoder.push(event));
}
const delta = (message: JsonObject): JsonObject => ({ message });
const text = (said: string): JsonObject => ({ type: 'content-delta', delta: delta({ content: { text: said } }) });
const cite = (citation: JsonObject): JsonObject => ({ type: 'citation-start', delta: delta({ citations: citation }) });

describe('a citation', () => {
  const source = {
    type: 'tool',
    id: 'weather:0',
    tool_output: { url: 'https://w.test', title: 'Weather', snippet: 'sun' },
  };

  it('places a citation relative to its block and within the text', () => {
    const events = streamed(
      text('Before. '),
      { type: 'content-start' },
      text('It is sunny'),
      cite({ start: 6, end: 99, sources: [source] }),
    );
    expect(events.at(-1)).toEqual({
      type: 'citation',
      citation: { start: 14, end: 19, url: 'https://w.test', title: 'Weather', quote: 'sun' },
    });
  });

  it('reports a citation of a plan as unsupported because it has no position', () => {
    expect(streamed(cite({ type: 'PLAN', start: 0, end: 1, sources: [source] }))).toEqual([]);
    expect(lost).toContain('citations');
  });
});

it('reads thoughts and plans as reasoning that does not move text positions', () => {
  const events = streamed(
    { type: 'tool-plan-delta', delta: delta({ tool_plan: 'I look.' }) },
    { type: 'content-delta', delta: delta({ content: { thinking: 'Hm' } }) },
  );
  expect(events).toEqual([
    { type: 'reasoning', text: 'I look.' },
    { type: 'reasoning', text: 'Hm' },
  ]);
});

it('throws an error for a failure during the response', () => {
  const end = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'x' } };
  expect(() => streamed(text('It'), end)).toThrow(UpstreamError);
});

it('emits no finish event for a stream that breaks off', () => {
  const decoder = createStreamDecoder(lost);
  decoder.push(text('It'));
  expect(decoder.end(false)).toEqual([]);
});

it.each([
  ['COMPLETE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool-calls'],
  ['something new', 'other'],
  [undefined, 'stop'],
])('reads the same finish reason %s from a whole response and a stream: %s', (finish_reason, reason) => {
  expect(decodeResponse({ message: {}, finish_reason }, lost).at(-1)).toEqual({ type: 'finish', reason });
});

it('reads the billed usage, or the counted tokens without it', () => {
  const usageOf = (usage: JsonObject) => decodeResponse({ usage }, lost).find((event) => event.type === 'usage')?.usage;
  const tokens = { input_tokens: 500, output_tokens: 10 };
  expect(usageOf({ billed_units: { input_tokens: 12, output_tokens: 7 }, tokens })).toMatchObject({
    input: 12,
    output: 7,
  });
  expect(usageOf({ tokens })).toMatchObject({ input: 500, output: 10 });
});
