import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { createFairScheduler } from '../limits/fair-scheduler.ts';
import { ReceiveBuffer } from './receive-buffer.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene({ hasEvents = true, mayRead = (): Promise<void> | undefined => undefined } = {}) {
  const seen = { pieces: [] as Buffer[], isBehind: false, ended: 0 };
  const arrived = new ReceiveBuffer({
    scheduler: createFairScheduler(systemTimers),
    hasEvents,
    mayRead,
    read: (bytes) => void seen.pieces.push(bytes),
    setBehind: (isBehind) => {
      seen.isBehind = isBehind;
    },
  });
  const end = (): void =>
    arrived.end(() => {
      seen.ended = Buffer.concat(seen.pieces).length;
    });
  return { arrived, seen, end };
}

const events = (count: number): Buffer => Buffer.from('data: {}\n\n'.repeat(count));

test('a small chunk is read at once, and chunks of one packet together', async () => {
  const { arrived, seen } = scene();
  arrived.add(events(1));
  arrived.add(events(2));
  await Promise.resolve();
  expect(seen.pieces.map(String)).toEqual([events(3).toString()]);
});

test('many events are read in slices, and the upstream is paused meanwhile', async () => {
  const { arrived, seen } = scene();
  arrived.add(events(1_000));
  await Promise.resolve();
  expect(seen.isBehind).toBe(true);
  expect(seen.pieces.length).toBe(1);
  while (seen.isBehind) await turn();
  expect(Math.max(...seen.pieces.map((piece) => piece.toString().split('\n').length - 1))).toBe(32);
  expect(Buffer.concat(seen.pieces)).toEqual(events(1_000));
});

test('a whole response is read in one piece, which costs nothing before its end', async () => {
  const { arrived, seen } = scene({ hasEvents: false });
  arrived.add(events(10_000));
  await Promise.resolve();
  expect(seen.pieces.length).toBe(1);
});

test('nothing is read before it may be, and everything before the end', async () => {
  let go = (): void => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { arrived, seen, end } = scene({ mayRead: () => wait });
  arrived.add(events(3));
  await turn();
  end();
  arrived.add(events(2));
  await turn();
  expect([seen.pieces.length, seen.ended, seen.isBehind]).toEqual([0, 0, true]);
  go();
  while (seen.ended === 0) await turn();
  expect([seen.ended, seen.isBehind]).toEqual([events(5).length, false]);
});

test('everything is read before an end that arrives when the upstream is resumed', async () => {
  const pieces: Buffer[] = [];
  let bytesAtEnd = 0;
  let goesOn = 0;
  const arrived = new ReceiveBuffer({
    scheduler: createFairScheduler(systemTimers),
    hasEvents: true,
    mayRead: () => undefined,
    read: (bytes) => void pieces.push(bytes),
    setBehind(isBehind) {
      if (isBehind || goesOn > 0) return;
      goesOn += 1;
      arrived.add(events(200));
      arrived.end(() => {
        bytesAtEnd = Buffer.concat(pieces).length;
      });
    },
  });
  arrived.add(events(100));
  while (bytesAtEnd === 0) await turn();
  expect(bytesAtEnd).toBe(events(300).length);
});

test('the same bytes are read in the same order, however they come', async () => {
  const lines = fc.array(fc.constantFrom('\n', 'data: x\n', 'y'.repeat(20_000), 'data: z'), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(lines, fc.boolean()), { maxLength: 8 }), async (chunks) => {
      const { arrived, seen, end } = scene();
      for (const [texts, waits] of chunks) {
        arrived.add(Buffer.from(texts.join('')));
        if (waits) await turn();
      }
      let isOver = false;
      end();
      arrived.end(() => {
        isOver = true;
      });
      while (!isOver) await turn();
      expect(Buffer.concat(seen.pieces).toString()).toBe(chunks.map(([texts]) => texts.join('')).join(''));
    }),
    { numRuns: 60 },
  );
});
