/** Measures how long work blocks the event loop. */
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { measureSlowness, readCpuMs } from '@switchyard/relay/cpu-timer';

/** Measurements of work that can be repeated. */
const REPEATS = 3;
/** Milliseconds of the shortest turn that is of interest. */
const TURN_KEPT_MS = 2;

/**
 * Runs the work three times and returns the smallest of the three measurements: compilation and garbage collection, which
 * vary, only add to what the work itself takes.
 */
export async function measureLongestBlockRepeatedly(work: () => Promise<unknown>): Promise<number> {
  const measured: number[] = [];
  while (measured.length < REPEATS) measured.push(await measureLongestBlock(work));
  return Math.min(...measured);
}

interface Turn {
  /** Times of `performance.now()`. */
  began: number;
  ended: number;
  /** Milliseconds of this thread. */
  cpu: number;
}

/**
 * Runs the work and returns the longest turn of the event loop meanwhile, in milliseconds of this thread's CPU time as
 * the machine of reference takes them (`startCpuTimer`): neither other work of the machine nor its slowness counts. Nor
 * do major garbage collections, which take as long as the heap of the whole test is large.
 */
export async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  const turns: Turn[] = [];
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let isDone = false;
  let [last, began] = [readCpuMs(), performance.now()];
  const turn = (): void => {
    const [now, ended] = [readCpuMs(), performance.now()];
    if (now - last >= TURN_KEPT_MS) turns.push({ began, ended, cpu: now - last });
    [last, began] = [now, ended];
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isDone = true;
    await new Promise((resolve) => setImmediate(resolve));
    collections.push(...observer.takeRecords());
    observer.disconnect();
  }
  const major = collections.filter(isMajor);
  const longest = Math.max(0, ...turns.map((one) => one.cpu - sumOverlap(one, major)));
  return longest / measureSlowness();
}

function isMajor(collection: PerformanceEntry): boolean {
  const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_INCREMENTAL } = constants;
  const kind: unknown = Reflect.get(Object(Reflect.get(collection, 'detail')), 'kind');
  return kind === NODE_PERFORMANCE_GC_MAJOR || kind === NODE_PERFORMANCE_GC_INCREMENTAL;
}

/** Returns the milliseconds of the collections within the turn. */
function sumOverlap({ began, ended }: Turn, collections: readonly PerformanceEntry[]): number {
  let overlap = 0;
  for (const { startTime, duration } of collections)
    overlap += Math.max(0, Math.min(ended, startTime + duration) - Math.max(began, startTime));
  return overlap;
}
