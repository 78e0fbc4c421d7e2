import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamSplitter } from './aws-event-stream.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text),
);

function message(type: string, payload: string): Buffer {
  return Buffer.from(
    codec.encode({
      headers: {
        ':event-type': { type: 'string', value: type },
        'x-odd': { type: 'long', value: { bytes: new Uint8Array(8), valueOf: () => 0, toString: () => '0' } },
        'x-set': { type: 'boolean', value: true },
        'x-raw': { type: 'binary', value: new Uint8Array([1, 2, 3]) },
        ':message-type': { type: 'string', value: 'event' },
      },
      body: Buffer.from(payload),
    }),
  );
}

const stream = Buffer.concat([message('chunk', '{"a":1}'), message('chunk', ''), message('end', 'ü'.repeat(400))]);
const said = [
  ['chunk', '{"a":1}'],
  ['chunk', ''],
  ['end', 'ü'.repeat(400)],
];

function read(chunks: readonly Buffer[]): unknown {
  const splitter = new EventStreamSplitter(10_000);
  return chunks
    .flatMap((chunk) => [...splitter.push(chunk)])
    .map(({ headers, payload }) => [headers[':event-type'], payload.toString('utf8')]);
}

describe('messages that Amazon’s own client wrote', () => {
  test('reads Amazon’s messages wherever they are cut', () => {
    expect(read([stream])).toEqual(said);
    expect(read([...stream].map((byte) => Buffer.from([byte])))).toEqual(said);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), stream.length];
        expect(read(cuts.slice(1).map((end, at) => stream.subarray(cuts[at], end)))).toEqual(said);
      }),
    );
  });

  test('refuses a message with a changed byte and never misreads it', () => {
    for (let at = 0; at < stream.length; at += 3) {
      const changed = Buffer.from(stream);
      changed[at] = (changed[at] ?? 0) ^ 0x41;
      const seen = ((): unknown => {
        try {
          return read([changed]);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return undefined;
        }
      })();
      // A length that grew is waited for; the gateway has deadlines.
      if (Array.isArray(seen)) expect(seen.length).toBeLessThan(said.length);
    }
  });

  test('refuses a message with more headers than Amazon sends', () => {
    const headers = Buffer.alloc(131_080, Buffer.from('\u0004abcd\u0007\u0000\u0000', 'latin1'));
    const message = Buffer.alloc(12 + headers.length + 4);
    message.writeUInt32BE(message.length, 0);
    message.writeUInt32BE(headers.length, 4);
    message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
    headers.copy(message, 12);
    message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
    expect(() => [...new EventStreamSplitter(1_000_000).push(message)]).toThrow('131080 bytes of headers');
  });

  test('refuses messages longer than the limit', () => {
    expect(() => [...new EventStreamSplitter(100).push(stream)]).toThrow(RangeError);
    expect(() => [...new EventStreamSplitter(100).push(Buffer.alloc(12, 0xff))]).toThrow(RangeError);
  });
});
