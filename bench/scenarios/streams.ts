/** CPU for a stream of 200 events at intervals of 5 ms, like from a fast model. */
import { cpuSeconds } from '../processes.ts';
import type { Row } from '../report.ts';
import { median } from '../statistics.ts';
import { type ChatDialect, chatDialects, requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { measureWithRetries } from './measure-with-retries.ts';

const CONNECTIONS = 100;
/** A stream lasts a little over one second; streams that have begun by then are read to their end. */
const MILLISECONDS = 4_500;
const ROUNDS_MAX = 3;

const labels: Readonly<Record<ChatDialect, string>> = {
  'openai-chat': 'Chat',
  'anthropic-messages': 'Anthropic',
  'openai-responses': 'Responses',
  gemini: 'Gemini',
};

/** Milliseconds of CPU for one stream, round by round. */
interface Samples {
  bare: number[];
  /** By the client's dialect. */
  own: Map<ChatDialect, number[]>;
}

/** Every client's dialect in front of every upstream's, each against the bare proxy in front of the same upstream. */
export async function measureStreams(run: BenchRun): Promise<Row[]> {
  const samples = new Map(chatDialects.map((upstream) => [upstream, noSamples()]));
  for (let round = 0; round < Math.min(run.rounds, ROUNDS_MAX); round += 1) {
    for (const [upstream, { bare, own }] of samples) {
      bare.push(await cpuOfStream(run, run.bare, upstream, upstream));
      for (const [client, values] of own) values.push(await cpuOfStream(run, run.switchyard, client, upstream));
    }
  }
  return [
    row('same-dialect streams, 200 events, CPU against the bare proxy', 1.3, samples, (client, upstream) =>
      client === upstream ? labels[client] : undefined,
    ),
    ...chatDialects.map((asking) =>
      row(
        `translated streams for ${labels[asking]} clients, CPU against the bare proxy`,
        3,
        samples,
        (client, upstream) => (client === asking && client !== upstream ? `from ${labels[upstream]}` : undefined),
      ),
    ),
  ];
}

function noSamples(): Samples {
  return { bare: [], own: new Map(chatDialects.map((client) => [client, []])) };
}

/** @param nameOf name of a pair in the row; undefined for others */
function row(
  what: string,
  most: number,
  samples: ReadonlyMap<ChatDialect, Samples>,
  nameOf: (client: ChatDialect, upstream: ChatDialect) => string | undefined,
): Row {
  let worst = 0;
  const parts: string[] = [];
  for (const [upstream, { bare, own }] of samples) {
    for (const [client, values] of own) {
      const name = nameOf(client, upstream);
      if (name === undefined) continue;
      const ratio = median(values) / median(bare);
      worst = Math.max(worst, ratio);
      parts.push(`${name} ${ratio.toFixed(2)} × (${median(values).toFixed(2)} ms against ${median(bare).toFixed(2)})`);
    }
  }
  return { what, wanted: `≤ ${most} ×`, measured: parts.join('; '), verdict: worst <= most ? 'met' : 'missed' };
}

/** Milliseconds of CPU for one stream. */
function cpuOfStream(run: BenchRun, target: Target, client: ChatDialect, upstream: ChatDialect): Promise<number> {
  const model = `${upstream}--bench-paced` as const;
  const request = requestBytes(target, { dialect: client, model, stream: true });
  return measureWithRetries(async () => {
    const before = cpuSeconds(target.pid);
    const { requests } = await run.tools.load(target.port, CONNECTIONS, MILLISECONDS, request);
    return ((cpuSeconds(target.pid) - before) * 1000) / requests;
  });
}
