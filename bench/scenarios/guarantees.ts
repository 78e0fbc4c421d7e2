/** CPU cost of each guarantee per request, as differences from a plain request in the same running product. */
import { join } from 'node:path';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { usageRecords } from '../../packages/contract/src/usage/usage-records.ts';
import { information, type Row } from '../report.ts';
import { mean, standardError } from '../statistics.ts';
import { type SwitchyardTarget, startSwitchyard } from '../targets/switchyard.ts';
import type { BenchRun } from './bench-run.ts';
import { type GuaranteeRequest, guaranteeRequests } from './guarantee-requests.ts';
import { type Figures, measureOne } from './measure-with-retries.ts';

const CONNECTIONS = 32;
const WARM_UP_MS = 500;
/** Small differences need more rounds, and compared requests must be close in time. */
const SHORTER = 3;

type Samples = ReadonlyMap<GuaranteeRequest, Figures[]>;

export async function measureGuarantees(run: BenchRun): Promise<Row[]> {
  const target = await startSwitchyard(run.direct.port, join(run.folder, 'guarantees'));
  const requests = await guaranteeRequests(target);
  const samples: Samples = new Map(requests.map((request) => [request, []]));
  for (const request of requests) {
    await measure({ ...run, milliseconds: WARM_UP_MS }, target, request);
    await checkUsageSource(target, request);
  }
  const short = { ...run, milliseconds: run.milliseconds / SHORTER };
  for (let round = 0; round < run.rounds * SHORTER; round += 1) {
    // In alternating order, so that each is measured as often early as late in a round.
    for (const request of round % 2 === 0 ? requests : requests.toReversed())
      samples.get(request)?.push(await measure(short, target, request));
  }
  await target.stop();
  return rows(samples);
}

async function measure(
  run: Pick<BenchRun, 'tools' | 'milliseconds'>,
  target: SwitchyardTarget,
  { request, sessionAffinity }: GuaranteeRequest,
): Promise<Figures> {
  const body = [{ key: 'SessionAffinityEnabled', value: String(sessionAffinity) }];
  await target.root.api(settings).updateMany({ body });
  return measureOne(run, target, CONNECTIONS, request);
}

/** Checks the metering of each request, because a wrongly metered one would be measured as something else. */
async function checkUsageSource(
  { root }: SwitchyardTarget,
  { what, token, usageSource }: GuaranteeRequest,
): Promise<void> {
  const { data } = await root.api(usageRecords).list({ query: { token_name: token, log_type: 'consume', size: 1 } });
  const found = data[0]?.usage_source;
  if (found !== usageSource) throw new Error(`The usage of "${what}" is ${found}, not ${usageSource}`);
}

function rows(samples: Samples): Row[] {
  const all = [...samples];
  const plain = all[0]?.[1] ?? [];
  const plainAgain = all.at(-1)?.[1] ?? [];
  const cpu = compare(plain, plainAgain, 'cpuMicros');
  const p50 = compare(plain, plainAgain, 'p50');
  return [
    information(
      'a request with a plain token',
      `CPU ${cpu.base.toFixed(1)} µs, p50 ${p50.base.toFixed(2)} ms; noise ${cpu.noise.toFixed(1)} µs, ${p50.noise.toFixed(2)} ms`,
    ),
    ...all.slice(1, -1).map(([{ what }, figures]) => {
      const micros = cpu.above(figures);
      const millis = p50.above(figures);
      const isNoise = Math.abs(micros) <= cpu.noise;
      const waits = Math.abs(millis) <= p50.noise ? '' : `, p50 ${signed(millis.toFixed(2))} ms`;
      return information(
        `above it: ${what}`,
        `CPU ${signed(micros.toFixed(1))} µs${isNoise ? ' (within the noise)' : ''}${waits}`,
      );
    }),
  ];
}

const signed = (figure: string): string => (figure.startsWith('-') ? figure : `+${figure}`);

interface Comparison {
  base: number;
  /** Minimum of a meaningful difference. */
  noise: number;
  /** Compared round by round, so that other load matters less. */
  above(figures: readonly Figures[]): number;
}

/** Noise is twice the standard error of the difference between two that are the same. */
function compare(plain: readonly Figures[], plainAgain: readonly Figures[], name: 'cpuMicros' | 'p50'): Comparison {
  const pairs = plain.map((figures, round) => [figures[name], plainAgain[round]?.[name] ?? NaN] as const);
  const bases = pairs.map(([one, again]) => (one + again) / 2);
  const differences = pairs.map(([one, again]) => again - one);
  return {
    base: mean(bases),
    noise: 2 * standardError(differences),
    above: (figures) => mean(figures.map((sample, round) => sample[name] - (bases[round] ?? NaN))),
  };
}
