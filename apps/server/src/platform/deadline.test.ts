import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { sleep } from './clock.ts';
import { abortWhenSilent } from './deadline.ts';

const IDLE_SECONDS = 10;
const PIECE = Buffer.from('piece');

/** @param waits seconds before each piece, and those that its reader takes */
function read(waits: readonly number[], readerSeconds: number) {
  const clock = createTestClock(0);
  const over = new AbortController();
  async function* body(): AsyncGenerator<Buffer> {
    for (const wait of waits) {
      await sleep(clock, wait * 1_000, over.signal);
      yield PIECE;
    }
  }
  const late = { timers: clock, controller: over, afterMs: IDLE_SECONDS * 1_000, reason: new Error('silent') };
  let pieces = 0;
  const reading = (async () => {
    for await (const piece of abortWhenSilent(late, body())) {
      pieces += piece.length / PIECE.length;
      if (readerSeconds > 0) await sleep(clock, readerSeconds * 1_000);
    }
    return pieces;
  })();
  reading.catch(() => undefined);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one second after the other
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1);
    }
  };
  return { reading, pass };
}

test('aborts a body that is silent for too long, but not a slow one', async () => {
  const silent = read([1, 500], 0);
  await silent.pass(1 + IDLE_SECONDS);
  await expect(silent.reading).rejects.toThrow('silent');
  const slow = read([2, 2, 2, 2, 2, 2, 2], 0);
  await slow.pass(14);
  expect(await slow.reading).toBe(7);
});

test('a reader takes the time that it takes', async () => {
  const { reading, pass } = read([1, 1], 2 * IDLE_SECONDS);
  await pass(2 * (1 + 2 * IDLE_SECONDS));
  expect(await reading).toBe(2);
});
