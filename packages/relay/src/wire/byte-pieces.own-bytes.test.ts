import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ResponseBody } from '../exchange/buffered-response-body.ts';
import { EventStreamSplitter } from './aws-event-stream.ts';
import { BytePieces } from './byte-pieces.ts';
import { SseSplitter } from './sse.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Returns how many of the packets are still in memory. */
async function countKept(packets: readonly WeakRef<ArrayBufferLike>[]): Promise<number> {
  // A WeakRef keeps its target alive in the turn of its creation.
  await new Promise((resolve) => setImmediate(resolve));
  if (typeof collect === 'function') collect();
  return packets.filter((packet) => packet.deref() !== undefined).length;
}

const PACKETS = 1_500;

it.each([
  ['bytes in pieces', () => new BytePieces()],
  ['a body', () => new ResponseBody()],
  ['an event', () => new SseSplitter()],
  ['a message of AWS', () => drained(new EventStreamSplitter(100_000))],
])('keeps one byte of each packet, and not the packets, of %s', async (_what, create) => {
  const holder = create();
  // The length of a message of AWS is 65,536 bytes.
  for (const byte of [0, 1, 0, 0]) holder.push(Buffer.from([byte]));
  const packets: WeakRef<ArrayBufferLike>[] = [];
  for (let nth = 0; nth < PACKETS; nth += 1) {
    const packet = Buffer.alloc(65_536);
    packets.push(new WeakRef(packet.buffer));
    holder.push(packet.subarray(-1));
  }
  expect(await countKept(packets)).toBeLessThan(10);
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
