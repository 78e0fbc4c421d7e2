import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BytePieces } from './byte-pieces.ts';

test('returns the bytes in order, however many pieces there are', () => {
  const pieces = new BytePieces();
  const text = Array.from({ length: 5_000 }, (_, nth) => `${nth},`);
  for (const piece of text) pieces.push(Buffer.from(piece));
  expect(pieces.whole().toString()).toBe(text.join(''));
  expect(pieces.length).toBe(text.join('').length);
  pieces.clear();
  expect([pieces.length, pieces.whole().length]).toEqual([0, 0]);
});

test('does not copy a single piece unless it is a small part of a packet', () => {
  const packet = Buffer.alloc(65_536, 'a');
  for (const [length, isKept] of [
    [65_536, true],
    [32_768, true],
    [32_767, false],
    [1, false],
  ] as const) {
    const pieces = new BytePieces();
    pieces.push(packet.subarray(-length));
    pieces.push(Buffer.alloc(0));
    expect(pieces.whole()).toEqual(packet.subarray(-length));
    expect(pieces.whole().buffer === packet.buffer).toBe(isKept);
  }
});

test('stores a million pieces of one byte in a few megabytes', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const used = (): number => {
    if (typeof collect === 'function') collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const packet = Buffer.alloc(65_536, 'a');
  const pieces = new BytePieces();
  const before = used();
  for (let nth = 0; nth < 1_000_000; nth += 1) pieces.push(packet.subarray(nth % 65_536, (nth % 65_536) + 1));
  expect(used() - before).toBeLessThan(16_000_000);
  expect(pieces.length).toBe(1_000_000);
});
