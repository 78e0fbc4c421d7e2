import { describe, expect, it } from 'vitest';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

const lostNames = (): { names: Set<string>; add(name: string): void } => {
  const names = new Set<string>();
  return { names, add: (name) => names.add(name) };
};

function eventsOf(...parts: unknown[]): ResponseEvent[] {
  return decodeResponse({ responseId: 'r', candidates: [{ content: { parts }, finishReason: 'STOP' }] }, lostNames());
}

function streamed(chunks: readonly Record<string, unknown>[], lost = lostNames()): ResponseEvent[] {
  const decoder = createStreamDecoder(lost);
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end(false)];
}

describe('decoding a Gemini response', () => {
  it('reads thoughts, signatures before the signed part, text and complete calls', () => {
    expect(
      eventsOf(
        { text: 'Hm.', thought: true },
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'own', name: 'g' } },
      ),
    ).toEqual([
      { type: 'start', id: 'r', model: '' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'reasoning-proof', signature: { origin: 'gemini', kind: 'signature', value: 'c2ln' } },
      { type: 'tool-call', index: 0, callId: 'call_r_0', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"a":1}' },
      { type: 'tool-call', index: 1, callId: 'own', name: 'g' },
      { type: 'tool-arguments', index: 1, text: '{}' },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['IMAGE_RECITATION', 'content-filter'],
    ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['LANGUAGE', 'invalid-output'],
    ['NO_IMAGE', 'invalid-output'],
    ['SOMETHING_NEW', 'other'],
  ])('reads the finish reason %s as %s', (finishReason, reason) => {
    const events = decodeResponse({ candidates: [{ finishReason }] }, lostNames());
    expect(events.at(-1)).toEqual({ type: 'finish', reason });
  });

  it('reads a blocked prompt as an empty, filtered response with the prompt’s usage', () => {
    const body = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 8 } };
    expect(decodeResponse(body, lostNames())).toMatchObject([
      { type: 'start' },
      { type: 'usage', usage: { input: 8, output: 0 } },
      { type: 'finish', reason: 'content-filter' },
    ]);
    expect(streamed([body])).toEqual(decodeResponse(body, lostNames()));
  });

  it('reads images, audio, and executed code with its result', () => {
    expect(
      eventsOf(
        { executableCode: { code: '1/0' } },
        { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } },
        { inlineData: { mimeType: 'image/png', data: 'AA' } },
        { inlineData: { mimeType: 'audio/L16', data: 'BB' } },
      ),
    ).toMatchObject([
      { type: 'start' },
      { type: 'vendor-call', call: { tool: 'code-execution', input: '1/0', output: 'no', isError: true } },
      { type: 'image', mediaType: 'image/png', data: 'AA' },
      { type: 'audio', mediaType: 'audio/L16', data: 'BB' },
      { type: 'finish' },
    ]);
  });

  it('converts citation positions from bytes', () => {
    const text = 'Grüße 🐻 sind schön.';
    const end = Buffer.byteLength('Grüße 🐻');
    const body = {
      candidates: [
        {
          content: { parts: [{ text }] },
          finishReason: 'STOP',
          groundingMetadata: {
            webSearchQueries: ['bear', 'greetings'],
            groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
            groundingSupports: [{ segment: { startIndex: 7, endIndex: end }, groundingChunkIndices: [0, 5] }],
          },
        },
      ],
    };
    const events = decodeResponse(body, lostNames());
    const cited = events.find((event) => event.type === 'citation')?.citation;
    expect(cited).toEqual({ url: 'https://a.test', title: 'A', start: 5, end: 'Grüße 🐻'.length });
    expect(events.filter((event) => event.type === 'vendor-call')).toMatchObject([
      { call: { tool: 'web-search', input: 'bear', sources: [{ url: 'https://a.test', title: 'A' }] } },
      { call: { tool: 'web-search', input: 'greetings' } },
    ]);
    // Chunks repeat it.
    expect(streamed([body, { ...body, candidates: [{ ...body.candidates[0], content: {} }] }])).toEqual(events);
  });

  it('reads the log probabilities of tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'b', logProbability: -1 }] }],
    };
    const events = decodeResponse({ candidates: [{ logprobsResult, finishReason: 'STOP' }] }, lostNames());
    expect(events).toContainEqual({
      type: 'logprobs',
      tokens: [{ token: 'a', logprob: -0.5, top: [{ token: 'b', logprob: -1 }] }],
    });
  });

  it('ends each of several candidates and reports the usage before', () => {
    const candidate = (index: number, text: string, finishReason?: string): unknown => ({
      index,
      content: { parts: [{ text }] },
      ...(finishReason && { finishReason }),
    });
    expect(
      streamed([
        { candidates: [candidate(0, 'a', 'STOP')] },
        { candidates: [candidate(1, 'b', 'MAX_TOKENS')], usageMetadata: { promptTokenCount: 1 } },
      ]),
    ).toMatchObject([
      { type: 'start' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', choice: 1 },
      { type: 'usage' },
      { type: 'finish', reason: 'stop' },
      { type: 'finish', reason: 'length', choice: 1 },
    ]);
  });

  it('emits no finish event for a truncated response', () => {
    expect(streamed([{ candidates: [{ content: { parts: [{ text: 'a' }] } }] }])).toMatchObject([
      { type: 'start' },
      { type: 'text' },
    ]);
  });

  it('reports fields without a neutral form', () => {
    const lost = lostNames();
    const parts = [{ toolCall: {} }, { inlineData: { mimeType: 'model/gltf', data: 'A' } }];
    decodeResponse({ candidates: [{ content: { parts }, finishReason: 'OTHER', finishMessage: 'so' }] }, lost);
    expect([...lost.names]).toEqual(['parts.toolCall', 'parts.inlineData', 'finishMessage']);
  });
});

describe('a call with streamed arguments', () => {
  const chunk = (functionCall: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    candidates: [{ content: { parts: [{ functionCall }] }, ...more }],
  });

  it('completes a streamed call when the next one begins or no arguments follow', () => {
    const events = streamed([
      chunk({ name: 'f', willContinue: true }),
      chunk({ partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true }),
      chunk({ name: 'g', willContinue: true }),
      chunk({ partialArgs: [{ jsonPath: '$.b[0]', numberValue: 2 }] }),
      chunk({}, { finishReason: 'STOP' }),
    ]);
    expect(events).toMatchObject([
      { type: 'start' },
      { type: 'tool-call', index: 0, name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"a":"x"}' },
      { type: 'tool-call', index: 1, name: 'g' },
      { type: 'tool-arguments', index: 1, text: '{"b":[2]}' },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('completes a streamed call at the end of the stream', () => {
    expect(
      streamed([chunk({ name: 'f', willContinue: true }), { candidates: [{ finishReason: 'STOP' }] }]),
    ).toContainEqual({ type: 'tool-arguments', index: 0, text: '{}' });
  });
});
