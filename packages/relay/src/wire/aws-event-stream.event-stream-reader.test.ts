import { EventStreamCodec } from '@smithy/eventstream-codec';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text),
);

function message(headers: Record<string, string>, payload: unknown): Buffer {
  const named = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(named), body: Buffer.from(JSON.stringify(payload)) }));
}

const event = (type: string, payload: unknown): Buffer => message({ ':event-type': type }, payload);
const text = (said: string): Buffer => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: said } });
const end = event('messageStop', { stopReason: 'end_turn' });

function reader(): ResponseReader {
  const target = sampleTarget('bedrock', { model: 'amazon.nova-lite-v1:0' });
  const request = sampleRequest('openai-chat', { stream: true });
  return planExchange(request, target).readResponse({ 'content-type': 'application/vnd.amazon.eventstream' });
}

function error(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a stream of AWS messages', () => {
  test('reads the events inside the messages', () => {
    const answer = reader();
    const said = Buffer.concat([answer.push(Buffer.concat([text('a'), text('ü'), end])), answer.end()]);
    expect(said.toString()).toContain('"content":"ü"');
    expect(answer.meter).toMatchObject({ finished: true, deliveredCharacters: 2 });
  });

  test.each([
    ['is damaged', Buffer.alloc(40, 0xff)],
    ['is of a length that none has', Buffer.alloc(16)],
  ])('delivers the events before one that %s, and then fails', (_, broken) => {
    const answer = reader();
    expect(answer.push(Buffer.concat([text('a'), broken])).toString()).toContain('"content":"a"');
    expect(answer.meter.deliveredCharacters).toBe(1);
    const garbled = expect.objectContaining({ name: 'UpstreamError', kind: 'garbled' });
    expect(error(() => answer.push(text('b')))).toEqual(garbled);
    expect(error(() => answer.end())).toEqual(garbled);
    expect(answer.meter.deliveredCharacters).toBe(1);
  });

  test('fails at once without preceding events', () => {
    expect(() => reader().push(Buffer.alloc(40, 0xff))).toThrow(UpstreamError);
  });

  test.each([
    [{ ':message-type': 'exception', ':exception-type': 'throttlingException' }, 'rate-limited'],
    [{ ':message-type': 'exception', ':exception-type': 'validationException' }, 'rejected'],
    [{ ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' }, 'overloaded'],
    [{ ':message-type': 'error', ':error-code': '500', ':error-message': 'oops' }, 'overloaded'],
  ])('ends with the reported error: %j', (headers, kind) => {
    const answer = reader();
    answer.push(Buffer.concat([text('a'), message(headers, {}), text('b')]));
    expect(error(() => answer.end())).toMatchObject({ name: 'UpstreamError', kind });
    expect(answer.meter.deliveredCharacters).toBe(1);
  });

  test('returns bytes or throws an UpstreamError for any bytes and any kind of message', () => {
    const known = fc.constantFrom('contentBlockDelta', 'chunk', 'metadata', 'initial-response', '__proto__', '');
    const framed = fc.tuple(known, fc.jsonValue()).map(([type, payload]) => event(type, payload));
    const bytes = fc.uint8Array({ maxLength: 40 }).map((one) => Buffer.from(one));
    fc.assert(
      fc.property(fc.array(fc.oneof(framed, bytes, fc.constant(text('a'))), { maxLength: 5 }), (pieces) => {
        const answer = reader();
        const failed = error(() => {
          for (const piece of pieces) answer.push(piece);
          answer.end();
        });
        // Nothing of it ends an answer.
        expect(failed).toBeInstanceOf(UpstreamError);
      }),
    );
  });
});
