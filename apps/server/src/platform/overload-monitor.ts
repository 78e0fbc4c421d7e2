/**
 * Detects overload by the delay of the event loop and by memory usage, and refuses new relayed requests until the
 * process has recovered. Running requests, the management API and settlements continue.
 */
import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Timers } from './clock.ts';
import type { Log } from './log.ts';

export interface OverloadMonitor {
  /** True while new relayed requests are refused. */
  readonly shedding: boolean;
  /** Smoothed, milliseconds. */
  readonly delayMs: number;
  /** Used share of the heap limit or the machine's memory, whichever is larger; 0 to 1. */
  readonly memoryShare: number;
  /** Number of refused requests since the start. */
  readonly refused: number;
  /** Returns the delays of the last minute, in milliseconds. */
  delays(): Delays;
  countRefusal(): void;
  close(): void;
}

export interface Delays {
  p50: number;
  p99: number;
}

export interface SystemReadings {
  /** Returns the mean delay of the event loop since the last reading, milliseconds. */
  delayMs(): number;
  memoryShare(): number;
  /** Returns the delays of the last minute. */
  delays(): Delays;
  close(): void;
}

/** Thresholds, in milliseconds. Between them the state stays, so that it does not flap. */
const DELAY_MS = { high: 200, low: 100 };
const MEMORY_SHARE = { high: 0.85, low: 0.75 };
const SAMPLE_MS = 500;
/**
 * Weight of a new reading in the smoothed delay. A delay of less than two seconds (other programs, a burst onto cold
 * code) causes no refusals.
 */
const SMOOTHING = 0.2;
const READING_MAX_MS = 2 * DELAY_MS.high;

export function createOverloadMonitor(log: Log, readings: SystemReadings, timers: Timers): OverloadMonitor {
  let delayMs = 0;
  let memoryShare = 0;
  let shedding = false;
  let refused = 0;
  const look = (): void => {
    delayMs += (Math.min(readings.delayMs(), READING_MAX_MS) - delayMs) * SMOOTHING;
    memoryShare = readings.memoryShare();
    const before = shedding;
    if (delayMs > DELAY_MS.high || memoryShare > MEMORY_SHARE.high) shedding = true;
    else if (delayMs < DELAY_MS.low && memoryShare < MEMORY_SHARE.low) shedding = false;
    if (shedding === before) return;
    const state = { delay_ms: Math.round(delayMs), memory_share: memoryShare, refused };
    if (shedding) log.warn(state, 'overloaded: new relayed requests are refused');
    else log.warn(state, 'no longer overloaded');
  };
  const timer = timers.every(SAMPLE_MS, look);
  return {
    get shedding() {
      return shedding;
    },
    get delayMs() {
      return delayMs;
    },
    get memoryShare() {
      return memoryShare;
    },
    get refused() {
      return refused;
    },
    delays: () => readings.delays(),
    countRefusal() {
      refused += 1;
    },
    close() {
      timer.close();
      readings.close();
    },
  };
}

const RESOLUTION_MS = 20;
const NANO_PER_MILLI = 1_000_000;

/** @param timers timers of the process, whose event loop is measured */
export function createProcessReadings(timers: Timers): SystemReadings {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const minute = createMinuteHistogram(timers);
  const resident = createMemoryReader();
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    delayMs() {
      // The histogram contains whole intervals, including the resolution.
      const mean = delays.count === 0 ? 0 : delays.mean / NANO_PER_MILLI - RESOLUTION_MS;
      delays.reset();
      return Math.max(0, mean);
    },
    memoryShare() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return Math.max(used / limit, resident.read() / machine);
    },
    delays: () => minute.read(),
    close() {
      delays.disable();
      minute.close();
    },
  };
}

/**
 * Creates a reader of the resident memory in bytes, which is read from a file and fails without a free descriptor.
 */
function createMemoryReader(): { read(): number } {
  let last = 0;
  return {
    read() {
      try {
        last = process.memoryUsage.rss();
      } catch {
        // The heap's share still counts.
      }
      return last;
    },
  };
}

const MINUTE_MS = 60_000;

/** Creates a histogram of the last minute; during the first minute, of its beginning. */
function createMinuteHistogram(timers: Timers): { read(): Delays; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let before: Delays | undefined;
  const read = (): Delays => {
    const of = (percent: number): number =>
      delays.count === 0 ? 0 : Math.max(0, delays.percentile(percent) / NANO_PER_MILLI - RESOLUTION_MS);
    return { p50: of(50), p99: of(99) };
  };
  const timer = timers.every(MINUTE_MS, () => {
    before = read();
    delays.reset();
  });
  return {
    read: () => before ?? read(),
    close() {
      timer.close();
      delays.disable();
    },
  };
}
