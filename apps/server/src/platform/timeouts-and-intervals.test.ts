import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { sleep } from './clock.ts';
import { abortWhenSilent, startRepeating } from './timeouts-and-intervals.ts';

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

test('continues after a failure, never runs twice at a time, and has ended when it is stopped', async () => {
  const clock = createTestClock(0);
  let [begun, running, most] = [0, 0, 0];
  let finish = (): void => {};
  const failures: unknown[] = [];
  const repeated = startRepeating(
    clock,
    1_000,
    async () => {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => (finish = resolve));
      running -= 1;
      if (begun === 1) throw new Error('not this time');
    },
    (error) => failures.push(error),
  );
  const both = [repeated.runNow(), repeated.runNow()];
  clock.advance(1);
  expect(begun).toBe(1);
  finish();
  await Promise.all(both);
  expect(failures).toEqual([new Error('not this time')]);

  clock.advance(1);
  expect(begun).toBe(2);
  finish();
  await repeated.runNow().then(finish);
  const stopped = repeated.stop();
  finish();
  await stopped;
  expect([running, most]).toEqual([0, 1]);
  const before = begun;
  clock.advance(10);
  expect(begun).toBe(before);
});

const clock = createTestClock(0);
/** Throws before it returns a promise, as a function that is not `async` may. */
const refuse = (): Promise<void> => {
  throw new Error('not this time');
};

test('repeats work that throws before it returns a promise', async () => {
  const failures: unknown[] = [];
  const repeated = startRepeating(clock, 1_000, refuse, (error) => failures.push(error));
  for (const count of [1, 2]) {
    await repeated.runNow();
    expect(failures).toHaveLength(count);
  }
  await repeated.stop();
});
