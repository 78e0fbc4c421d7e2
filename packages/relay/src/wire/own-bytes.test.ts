import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WholeBody } from '../whole-body.ts';
import { EventStreamSplitter } from './aws-event-stream.ts';
import { BytePieces } from './byte-pieces.ts';
import { SseSplitter } from './sse.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function bufferBytes(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().arrayBuffers;
}

const PACKETS = 1_500;

it.each([
  ['bytes in pieces', () => new BytePieces()],
  ['a body', () => new WholeBody()],
  ['an event', () => new SseSplitter()],
  ['a message of AWS', () => drained(new EventStreamSplitter(100_000))],
])('keeps one byte of each packet, and not the packets, of %s', (_what, create) => {
  const holder = create();
  // The length of a message of AWS is 65,536 bytes.
  for (const byte of [0, 1, 0, 0]) holder.push(Buffer.from([byte]));
  const before = bufferBytes();
  for (let nth = 0; nth < PACKETS; nth += 1) holder.push(Buffer.alloc(65_536).subarray(-1));
  expect(bufferBytes() - before).toBeLessThan(4_000_000);
  expect('length' in holder ? holder.length : holder.heldBytes).toBe(PACKETS + 4);
});

function drained(splitter: EventStreamSplitter) {
  return {
    push: (chunk: Buffer): unknown[] => [...splitter.push(chunk)],
    get heldBytes() {
      return splitter.heldBytes;
    },
  };
}
