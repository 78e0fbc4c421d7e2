import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { encodeStreamError } from '../relay.ts';
import { geminiRequest, sampleTarget } from '../testing/sample-requests.ts';
import { encodeLastElement } from './json-array-reader.ts';
import { planExchange } from './plan-exchange.ts';

const contents = [{ parts: [{ text: 'hi' }] }];
const request = geminiRequest({ contents }, { stream: true, framing: 'json-array' });

function reader(provider = 'gemini'): ResponseReader {
  return planExchange(request, sampleTarget(provider)).readResponse();
}

const first = '{ "candidates": [{"content":{"parts":[{"text":"Gr\\u00fc\u00df 🐻"}]}}] }';
const last =
  '{"candidates":[{"content":{"parts":[{"text":"!"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}';
const body = Buffer.from(`data: ${first}\r\n\r\ndata: ${last}\r\n\r\n`);

describe('a stream for a client without server-sent events', () => {
  it('writes a JSON array of the same bytes, one element per line, wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(body.length)), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), body.length];
        const answer = reader();
        const pieces = cuts.map((cut, index) => answer.push(body.subarray(cut, cuts[index + 1] ?? cut)));
        expect(Buffer.concat([...pieces, answer.end()]).toString()).toBe(`[${first}\n,${last}\n]`);
        expect(answer.meter.usage).toMatchObject({ input: 3, output: 2 });
        expect(answer.contentType).toBe('application/json; charset=utf-8');
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    '{"candidates":[',
    '{"candidates":[]} {}',
    '{"a"12345678901234567890:1}',
    '{12345678901234567890:1}',
    '\uFEFF{}',
    '{"a":01234567890123456789}',
  ])('omits an upstream element that is not JSON: %s', (element) => {
    const answer = reader();
    const bytes = answer.push(Buffer.from(`data: ${first}\n\ndata: ${element}\n\ndata: ${last}\n\n`));
    expect(Buffer.concat([bytes, answer.end()]).toString()).toBe(`[${first}\n,${last}\n]`);
  });

  it('writes a JSON array of translated events', () => {
    const chunks = [
      '{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}',
      '{"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
      '[DONE]',
    ];
    const answer = reader('custom');
    const bytes = answer.push(Buffer.from(chunks.map((chunk) => `data: ${chunk}\n\n`).join('')));
    const array: unknown = JSON.parse(Buffer.concat([bytes, answer.end()]).toString());
    expect(array).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ]);
  });

  it('ends with an error as its last element, at the start or later', () => {
    const answer = reader();
    const begun = answer.push(Buffer.from(`data: ${first}\n\n`)).toString();
    expect(() => answer.end()).toThrow(UpstreamError);
    const error = { status: 502, message: 'Gone.' };
    const route = { format: 'gemini', framing: 'json-array' } as const;
    expect(JSON.parse(begun + encodeStreamError(route, error))).toMatchObject([
      { candidates: [{}] },
      { error: { code: 502, message: 'Gone.', status: 'UNAVAILABLE' } },
    ]);
    expect(JSON.parse(`\n\n${encodeStreamError(route, error, true)}`)).toMatchObject([{ error: { code: 502 } }]);
  });

  it('hides the vendor’s own error', () => {
    const answer = reader();
    const error = 'data: {"error":{"code":503,"message":"secret","status":"UNAVAILABLE"}}\r\n\r\n';
    const bytes = answer.push(Buffer.from(`data: ${first}\r\n\r\n${error}`));
    expect(`${bytes.toString()}${encodeLastElement('{}', false)}`).toBe(`[${first}\n,{}\n]`);
    expect(() => answer.end()).toThrow(expect.objectContaining({ kind: 'overloaded' }));
  });
});
