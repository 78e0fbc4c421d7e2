/** CPU for a stream of 200 events that come one every 5 ms, as from a fast model. */
import { cpuSeconds } from '../processes.ts';
import type { Row } from '../report.ts';
import { median } from '../statistics.ts';
import { requestBytes, type Target } from '../targets/target.ts';
import type { BenchRun } from './bench-run.ts';

const CONNECTIONS = 100;
/** A stream lasts a little over one second; those that have begun by then are read to their end. */
const MILLISECONDS = 5_500;

export async function measureStreams(run: BenchRun): Promise<Row[]> {
  const chat = '/v1/chat/completions';
  const own: number[] = [];
  const translated: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < Math.min(run.rounds, 3); round += 1) {
    bare.push(await cpuOfStream(run, run.bare, chat));
    own.push(await cpuOfStream(run, run.switchyard, chat));
    translated.push(await cpuOfStream(run, run.switchyard, '/v1/messages'));
  }
  return [
    row('same-dialect stream, 200 events, CPU against the bare proxy', 1.3, median(own), median(bare)),
    row(
      'translated stream (Anthropic ← OpenAI), CPU against the bare proxy',
      3,
      median(translated),
      median(bare),
    ),
  ];
}

function row(what: string, most: number, own: number, bare: number): Row {
  const value = own / bare;
  return {
    what,
    wanted: `≤ ${most} ×`,
    measured: `${value.toFixed(2)} × (${own.toFixed(2)} ms a stream against ${bare.toFixed(2)})`,
    verdict: value <= most ? 'met' : 'missed',
  };
}

/** Milliseconds of CPU for one stream. */
async function cpuOfStream(
  run: BenchRun,
  target: Target,
  path: '/v1/chat/completions' | '/v1/messages',
): Promise<number> {
  const request = requestBytes(target, { path, model: 'bench-paced', stream: true });
  const before = cpuSeconds(target.pid);
  const { requests } = await run.tools.load(target.port, CONNECTIONS, MILLISECONDS, request);
  return ((cpuSeconds(target.pid) - before) * 1000) / requests;
}
