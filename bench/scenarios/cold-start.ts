/** From the start of the process to the first relayed response, with a used data folder. */
import { startProduct } from '../../tests/faults/start-product.ts';
import type { Row } from '../report.ts';
import { median } from '../statistics.ts';
import { requestBytes } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';

const STARTS = 5;

/** Stops the measured product: nothing else can be measured on it afterwards. */
export async function measureColdStart(run: BenchRun): Promise<Row[]> {
  await run.switchyard.stop();
  const seconds: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const begun = performance.now();
    const product = await startProduct(run.switchyard.folder);
    const request = requestBytes({ port: product.port, headers: run.switchyard.headers });
    await run.tools.load(product.port, 1, 1, request);
    seconds.push((performance.now() - begun) / 1000);
    await product.stop('SIGTERM');
  }
  const value = median(seconds);
  return [
    {
      what: 'cold start to first relayed request',
      wanted: '≤ 1.5 s',
      measured: `${value.toFixed(2)} s`,
      verdict: value <= 1.5 ? 'met' : 'missed',
    },
  ];
}
