/**
 * Guards the CPU time of a relayed request: measures it against the bare proxy in the same run, and fails when the ratio is more
 * than 15 % above the last figure that was kept on the same kind of machine. `npm run test:full` runs it last, alone.
 *   node bench/guard.ts          measures and compares
 *   node bench/guard.ts --keep   also keeps the figure in bench/kept-figures.json, to be committed
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureOne } from './scenarios/figures.ts';
import { median } from './statistics.ts';
import { startBareProxy } from './targets/bare.ts';
import { startSwitchyard } from './targets/switchyard.ts';
import { requestBytes, type Target } from './targets/target.ts';
import { prepareTools, type Tools } from './tools.ts';

interface KeptFigure {
  commit: string;
  /** UTC, as `2026-11-25`. */
  date: string;
  machine: string;
  /** CPU of a relayed request divided by that of the bare proxy. */
  ratio: number;
}

const GROWTH_MAX = 1.15;
const CONNECTIONS = 32;
/** Time in which the runtime compiles the hot code. */
const WARM_UP_MS = 10_000;
const ROUND_MS = 3_000;
const ROUNDS = 5;
/** The rounds are measured at most this often while the ratio is above the limit. */
const TIMES_MAX = 4;
/** Exit code where there is nothing to compare with; `scripts/test.ts` reports the guard as left out. */
const NOT_COMPARED = 3;
const KEPT = join(import.meta.dirname, 'kept-figures.json');

if (platform() !== 'linux') {
  console.log('The guard of speed reads CPU from /proc and runs on Linux only.');
  process.exit(NOT_COMPARED);
}
const folder = mkdtempSync(join(tmpdir(), 'switchyard-guard-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const tools = await prepareTools();
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node.split('.', 1)[0]}, load in ${tools.kind}`;
const kept: KeptFigure[] = JSON.parse(readFileSync(KEPT, 'utf8'));
const last = kept.findLast((figure) => figure.machine === machine);
const limit = (last?.ratio ?? Number.POSITIVE_INFINITY) * GROWTH_MAX;
const ratio = await measureRatio(tools, limit);
console.log(`A relayed request takes ${ratio.toFixed(2)} × the CPU of the bare proxy (${machine}).`);
if (process.argv.includes('--keep')) keep();
if (last === undefined) {
  console.log('No figure was kept on this kind of machine: node bench/guard.ts --keep keeps this one.');
  process.exit(process.argv.includes('--keep') ? 0 : NOT_COMPARED);
}
console.log(`Kept: ${last.ratio.toFixed(2)} × at ${last.commit} on ${last.date}; up to ${limit.toFixed(2)} × passes.`);
process.exit(ratio <= limit ? 0 : 1);

/**
 * Returns the median ratio of five rounds, each of which measures the bare proxy and then Switchyard. Above the limit the
 * rounds are measured again, and the lowest median counts: what else runs on a shared machine takes the processor's
 * caches from the larger program, so that disturbance adds to the ratio, and growth is in every median.
 */
async function measureRatio(of: Tools, limit: number): Promise<number> {
  const mock = await of.startMock();
  const [switchyard, bare] = [await startSwitchyard(mock.port, join(folder, 'data')), await startBareProxy(mock.port)];
  const micros = async (target: Target, milliseconds: number): Promise<number> => {
    const figures = await measureOne({ tools: of, milliseconds }, target, CONNECTIONS, requestBytes(target));
    return figures.cpuMicros;
  };
  for (const target of [bare, switchyard]) await micros(target, WARM_UP_MS);
  const medianOfRounds = async (): Promise<number> => {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const below = await micros(bare, ROUND_MS);
      const own = await micros(switchyard, ROUND_MS);
      console.log(`  ${own.toFixed(0)} µs against ${below.toFixed(0)} µs: ${(own / below).toFixed(2)} ×`);
      ratios.push(own / below);
    }
    return median(ratios);
  };
  let lowest = await medianOfRounds();
  for (let time = 1; time < TIMES_MAX && lowest > limit; time += 1) {
    console.log(`Median: ${lowest.toFixed(2)} ×; measured again`);
    lowest = Math.min(lowest, await medianOfRounds());
  }
  for (const program of [switchyard, bare, mock]) await program.stop();
  return lowest;
}

function keep(): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const figure = { commit, date: new Date().toISOString().slice(0, 10), machine, ratio: Number(ratio.toFixed(3)) };
  writeFileSync(KEPT, `${JSON.stringify([...kept, figure], undefined, 2)}\n`);
}
