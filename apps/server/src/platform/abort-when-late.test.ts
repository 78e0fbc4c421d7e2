import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { abortWhenSilent } from './abort-when-late.ts';

const IDLE_MS = 100;
const PIECE = Buffer.from('piece');

/** @param waits before each piece */
async function* bodyOf(waits: readonly number[], { signal }: AbortController): AsyncGenerator<Buffer> {
  for (const wait of waits) {
    await pause(wait, undefined, { signal });
    yield PIECE;
  }
}
const readAll = async (waits: readonly number[], readerMs: number): Promise<number> => {
  const over = new AbortController();
  const body = abortWhenSilent(over, IDLE_MS, new Error('silent'), bodyOf(waits, over));
  let pieces = 0;
  for await (const piece of body) {
    pieces += piece.length / PIECE.length;
    await pause(readerMs);
  }
  return pieces;
};

test('a body that is silent for too long is aborted, one that is slow is not', async () => {
  await expect(readAll([1, 5_000], 0)).rejects.toThrow('aborted');
  expect(await readAll([20, 20, 20, 20, 20, 20, 20], 0)).toBe(7);
});

test('a reader takes the time that it takes', async () => {
  expect(await readAll([1, 1], 2 * IDLE_MS)).toBe(2);
});
