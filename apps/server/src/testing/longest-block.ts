/** Measures how long work blocks the event loop. */
import { measureSlowness, readCpuMs } from '@switchyard/relay/cpu-timer';

/** Measurements of work that can be repeated. */
const REPEATS = 3;

/**
 * Runs the work three times and returns the smallest of the three measurements: compilation and garbage collection, which
 * vary, only add to what the work itself takes.
 */
export async function measureLongestBlockRepeatedly(work: () => Promise<unknown>): Promise<number> {
  const measured: number[] = [];
  while (measured.length < REPEATS) measured.push(await measureLongestBlock(work));
  return Math.min(...measured);
}

/**
 * Runs the work and returns the longest turn of the event loop meanwhile, in milliseconds of this thread's CPU time as
 * the machine of reference takes them (`startCpuTimer`): neither other work of the machine nor its slowness counts.
 */
export async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let last = readCpuMs();
  const turn = (): void => {
    const now = readCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isDone = true;
  }
  await new Promise((resolve) => setImmediate(resolve));
  return longest / measureSlowness();
}
