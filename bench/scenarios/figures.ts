/** One measurement of one target under load. */
import { cpuSeconds } from '../processes.ts';
import { median } from '../statistics.ts';
import type { Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { carried } from './carried.ts';

export interface Figures {
  perSecond: number;
  /** CPU per request. */
  cpuMicros: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export function measureOne(
  run: Pick<BenchRun, 'tools' | 'milliseconds'>,
  target: Pick<Target, 'pid' | 'port'>,
  connections: number,
  request: Buffer,
): Promise<Figures & { requests: number }> {
  return carried(async () => {
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
