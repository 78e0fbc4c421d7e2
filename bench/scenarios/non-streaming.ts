/** Relaying non-streaming responses: throughput and CPU, all targets alternately. */
import { information, type Row } from '../report.ts';
import { requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { type Figures, measureOne, medians } from './measure-with-retries.ts';

const WARM_UP_MS = 1_000;

export async function measureWholeAnswers(run: BenchRun): Promise<Row[]> {
  const few = await compare(run, 32, [run.switchyard, run.bare, run.nginx, run.portkey]);
  const many = await compare(run, 256, [run.switchyard, run.bare, run.nginx]);
  const own = few.get('Switchyard');
  const bare = few.get('bare proxy');
  if (own === undefined || bare === undefined) throw new Error('a target was not measured');
  const extraCpu = own.cpuMicros - bare.cpuMicros;
  return [
    ratio('whole answers, 32 connections, against nginx', own, few.get('nginx'), 0.3, 0.5),
    ratio('whole answers, 32 connections, against Portkey', own, few.get('Portkey'), 5, 8),
    {
      what: 'CPU for each request above the bare proxy',
      wanted: 'first ≤ 25 µs, then ≤ 10 µs',
      measured: `${extraCpu.toFixed(1)} µs (${own.cpuMicros.toFixed(1)} against ${bare.cpuMicros.toFixed(1)})`,
      verdict: extraCpu <= 25 ? 'met' : 'missed',
    },
    information('whole answers, 32 connections', describe(few)),
    information('whole answers, 256 connections', describe(many)),
  ];
}

function ratio(what: string, own: Figures, other: Figures | undefined, first: number, then: number): Row {
  const wanted = `first ≥ ${first} ×, then ≥ ${then} ×`;
  if (other === undefined) return { what, wanted, measured: 'not available here', verdict: 'left out' };
  const value = own.perSecond / other.perSecond;
  const measured = `${value.toFixed(2)} × (${rate(own)} against ${rate(other)})`;
  return { what, wanted, measured, verdict: value >= first ? 'met' : 'missed' };
}

const rate = ({ perSecond }: Figures): string => `${Math.round(perSecond).toLocaleString('en')}/s`;

function describe(all: ReadonlyMap<string, Figures>): string {
  return [...all].map(([name, figures]) => `${name} ${rate(figures)} p99 ${figures.p99.toFixed(1)} ms`).join('; ');
}

async function compare(
  run: BenchRun,
  connections: number,
  targets: readonly (Target | undefined)[],
): Promise<Map<string, Figures>> {
  const present = targets.filter((target) => target !== undefined);
  const samples = new Map(present.map((target) => [target.name, [] as Figures[]]));
  for (const target of present)
    await measureOne({ ...run, milliseconds: WARM_UP_MS }, target, connections, requestBytes(target));
  for (let round = 0; round < run.rounds; round += 1) {
    for (const target of present)
      samples.get(target.name)?.push(await measureOne(run, target, connections, requestBytes(target)));
  }
  return new Map([...samples].map(([name, figures]) => [name, medians(figures)]));
}
