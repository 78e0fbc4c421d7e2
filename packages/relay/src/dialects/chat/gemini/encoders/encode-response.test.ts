import { describe, expect, it } from 'vitest';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { emptyUsage } from '../../../../model/usage.ts';
import { startCpuTimer } from '../../../../testing/cpu-timer.ts';
import { sampleRequest } from '../../../../testing/sample-requests.ts';
import { decodeResponse } from '../decoders/decode-response.ts';
import { createStreamEncoder, encodeResponse } from './encode-response.ts';

/** Of a client that wants to see the thoughts. */
const request = sampleRequest('gemini', { generationConfig: { thinkingConfig: { includeThoughts: true } } });
const start: ResponseEvent = { type: 'start', id: 'r', model: 'm' };
const finish: ResponseEvent = { type: 'finish', reason: 'stop' };
const usage: ResponseEvent = { type: 'usage', usage: { ...emptyUsage(), input: 3, output: 2 } };

function whole(...events: ResponseEvent[]): Record<string, unknown> {
  return encodeResponse([start, ...events], request);
}

function streamed(...events: ResponseEvent[]): Record<string, unknown>[] {
  const encoder = createStreamEncoder(request);
  const text = [start, ...events].map((event) => encoder.push(event)).join('') + encoder.end();
  const framed = text.split('\r\n\r\n').filter((event) => event !== '');
  return framed.map((event) => JSON.parse(event.replace(/^data: /, '')));
}

function partsOf(answers: readonly unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(answers)).flatMap(
    (answer: { candidates: { content: { parts: unknown[] } }[] }) => answer.candidates[0]?.content.parts ?? [],
  );
}

const calls: ResponseEvent[] = [
  { type: 'tool-call', index: 0, callId: 'a', name: 'f' },
  { type: 'tool-arguments', index: 0, text: '{"x":' },
  { type: 'tool-call', index: 1, callId: 'b', name: 'g' },
  { type: 'tool-arguments', index: 1, text: '{}' },
  { type: 'tool-arguments', index: 0, text: '1}' },
];
const written = [
  { functionCall: { id: 'a', name: 'f', args: { x: 1 } } },
  { functionCall: { id: 'b', name: 'g', args: {} } },
];

describe('encoding a Gemini response', () => {
  it('writes one candidate with its text, finish reason, usage, model and id', () => {
    const text = ['Hel', 'lo'].map((text): ResponseEvent => ({ type: 'text', text }));
    expect(whole(...text, usage, finish)).toEqual({
      candidates: [{ content: { parts: [{ text: 'Hello' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 3,
        candidatesTokenCount: 2,
        totalTokenCount: 5,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 3 }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 2 }],
      },
      modelVersion: 'm',
      responseId: 'r',
    });
    const chunks = streamed(...text, usage, finish);
    expect(partsOf(chunks)).toEqual([{ text: 'Hel' }, { text: 'lo' }]);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { totalTokenCount: 5 },
    });
  });

  it('writes each call as one part, although the arguments of several are interleaved', () => {
    expect(partsOf([whole(...calls, finish)])).toEqual(written);
    expect(partsOf(streamed(...calls, finish))).toEqual(written);
  });

  it('writes a call before the text after it, and invalid arguments as text', () => {
    const events: ResponseEvent[] = [
      { type: 'tool-call', index: 0, callId: 'a', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"x":1}' },
      { type: 'text', text: 'and' },
      { type: 'tool-call', index: 1, callId: 'b', name: 'g' },
      { type: 'tool-arguments', index: 1, text: '[1' },
      { type: 'tool-call', index: 2, callId: 'c', name: 'h' },
      finish,
    ];
    const parts = [
      written[0],
      { text: 'and' },
      { functionCall: { id: 'b', name: 'g', args: { _raw: '[1' } } },
      { functionCall: { id: 'c', name: 'h', args: {} } },
    ];
    expect(partsOf([whole(...events)])).toEqual(parts);
    expect(partsOf(streamed(...events))).toEqual(parts);
  });

  it('keeps another vendor’s signature with its thought, in base64', () => {
    const thought: ResponseEvent[] = [
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: '.' },
      { type: 'reasoning-proof', signature: { origin: 'anthropic-messages', kind: 'signature', value: 'abc' } },
    ];
    const thoughtSignature = Buffer.from('switchyard.anthropic-messages.signature.abc').toString('base64');
    expect(partsOf([whole(...thought, { type: 'text', text: 'So.' }, finish)])).toEqual([
      { text: 'Hm.', thought: true, thoughtSignature },
      { text: 'So.' },
    ]);
  });

  it('round-trips a response written by Google', () => {
    const body = {
      candidates: [
        {
          content: {
            parts: [
              { text: 'Hm.', thought: true },
              { text: 'Grüße 🐻 dir.' },
              { executableCode: { language: 'PYTHON', code: '1' } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
              { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' },
              { functionCall: { id: 'b', name: 'g', args: {} } },
              { inlineData: { mimeType: 'image/png', data: 'AA' } },
              { text: '', thoughtSignature: 'bGFzdA==' },
            ],
            role: 'model',
          },
          finishReason: 'STOP',
          logprobsResult: {
            chosenCandidates: [{ token: 'a', logProbability: -1 }],
            topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
          },
          groundingMetadata: {
            webSearchQueries: ['bear'],
            groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
            groundingSupports: [{ segment: { startIndex: 0, endIndex: 12 }, groundingChunkIndices: [0] }],
          },
          urlContextMetadata: {
            urlMetadata: [{ retrievedUrl: 'https://b.test', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
          },
          index: 0,
        },
        { content: { parts: [{ text: 'Other.' }], role: 'model' }, finishReason: 'MAX_TOKENS', index: 1 },
      ],
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 8,
        totalTokenCount: 20,
        cachedContentTokenCount: 2,
        thoughtsTokenCount: 3,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 5 },
          { modality: 'AUDIO', tokenCount: 4 },
        ],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 8 }],
      },
      modelVersion: 'gemini-3-pro',
      responseId: 'r',
    };
    expect(encodeResponse(decodeResponse(body, new Set()), request)).toEqual(body);
  });

  it('writes the reason of a refusal beside the parts', () => {
    const refused: ResponseEvent[] = [
      { type: 'refusal', text: 'I will not.' },
      { type: 'finish', reason: 'refusal' },
    ];
    expect(whole(...refused)['candidates']).toEqual([
      { content: { parts: [], role: 'model' }, finishReason: 'SAFETY', finishMessage: 'I will not.', index: 0 },
    ]);
  });
});

it('interleaves text with tens of thousands of argument fragments without delay', () => {
  const mixed: ResponseEvent[] = Array.from({ length: 20_000 }, () => [
    { type: 'tool-arguments' as const, index: 0, text: 'x}' },
    { type: 'text' as const, text: 'y' },
  ]).flat();
  const call: ResponseEvent = { type: 'tool-call', index: 0, callId: 'a', name: 'f' };
  const begun: ResponseEvent = { type: 'tool-arguments', index: 0, text: '{"a":"' };
  const readCpuMs = startCpuTimer();
  const parts = partsOf([whole(call, begun, ...mixed, { ...begun, text: '"}' }, finish)]);
  expect(readCpuMs()).toBeLessThan(1_000);
  expect(parts.at(-1)).toMatchObject({ functionCall: { args: { a: 'x}'.repeat(20_000) } } });
});
