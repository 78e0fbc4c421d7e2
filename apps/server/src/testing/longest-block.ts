/** Measures how long work blocks the event loop. */
import { threadCpuUsage } from 'node:process';

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
 * Runs the work and returns the longest turn of the event loop meanwhile, in milliseconds of this thread's CPU time:
 * other work of the machine doesn't count.
 */
export async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let last = cpuMs();
  const turn = (): void => {
    const now = cpuMs();
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
  return longest;
}

function cpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}
