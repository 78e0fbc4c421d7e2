/** Time that the relay adds to a single request. */
import type { Row } from '../report.ts';
import { median } from '../statistics.ts';
import { requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { measureWithRetries } from './measure-with-retries.ts';

export async function measureAddedLatency(run: BenchRun): Promise<Row[]> {
  const lonely = (target: Pick<Target, 'port' | 'headers'>) =>
    measureWithRetries(() => run.tools.load(target.port, 1, run.milliseconds, requestBytes(target)));
  const added: { p50: number; p99: number }[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    const direct = await lonely(run.direct);
    const own = await lonely(run.switchyard);
    added.push({ p50: own.p50 - direct.p50, p99: own.p99 - direct.p99 });
  }
  const p50 = median(added.map((sample) => sample.p50));
  const p99 = median(added.map((sample) => sample.p99));
  return [
    {
      what: 'added latency, 1 connection',
      wanted: 'p50 ≤ 0.3 ms, p99 ≤ 1.5 ms',
      measured: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      verdict: p50 <= 0.3 && p99 <= 1.5 ? 'met' : 'missed',
    },
  ];
}
