/** One measurement of one target under load, repeated when the target refused requests. */

import { setTimeout as pause } from 'node:timers/promises';
import { UnansweredError } from '../mock-and-load-generator.ts';
import { cpuSeconds } from '../processes.ts';
import { median } from '../statistics.ts';
import type { Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';

const ATTEMPTS_MAX = 4;
const RECOVERY_MS = 5_000;
/** A client that abandons many requests is refused for a minute. */
const FORGIVEN_MS = 61_000;

export interface Figures {
  perSecond: number;
  /** CPU per request. */
  cpuMicros: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Measures the throughput, CPU and latency of a target. */
export function measureOne(
  run: Pick<BenchRun, 'tools' | 'milliseconds'>,
  target: Pick<Target, 'pid' | 'port'>,
  connections: number,
  request: Buffer,
): Promise<Figures & { requests: number }> {
  return measureWithRetries(async () => {
    const before = cpuSeconds(target.pid);
    const { requests, seconds, p50, p99 } = await run.tools.load(target.port, connections, run.milliseconds, request);
    const cpu = cpuSeconds(target.pid) - before;
    return { requests, perSecond: requests / seconds, cpuMicros: (cpu * 1e6) / requests, p50, p99 };
  });
}

export function medians(figures: readonly Figures[]): Figures {
  const of = (name: keyof Figures): number => median(figures.map((figure) => figure[name]));
  return { perSecond: of('perSecond'), cpuMicros: of('cpuMicros'), p50: of('p50'), p99: of('p99') };
}

let again = 0;

/** Number of repeated measurements. */
export function repetitions(): number {
  return again;
}

/**
 * Repeats a measurement in which the product refused requests: under other load it may be
 * overloaded for a moment, and figures must come from measurements without refusals.
 */
export async function measureWithRetries<T>(measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await measure();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
      again += 1;
      console.log('  once more:', error instanceof Error ? error.message.split('\n', 2).join(' ') : error);
      await pause(error instanceof UnansweredError ? FORGIVEN_MS : RECOVERY_MS);
    }
  }
}
