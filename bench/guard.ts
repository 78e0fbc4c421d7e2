/**
 * Guards the CPU time of a relayed request: measures it against the bare proxy in the same run. If the ratio is more
 * than 15 % above the last kept figure for the same kind of machine, the reason may be other load, or the product. Then
 * the kept commit and this one are measured alternately, and the guard fails if this one uses more than 15 % more. Each
 * starts several times, in both orders: the cost of a request grows with the number of records, and two processes of
 * one program differ by 10 %. `npm run test:full` runs it last, alone.
 *   node bench/guard.ts          measures and compares
 *   node bench/guard.ts --keep   also keeps the figure in bench/kept-figures.json, to be committed
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractCommit } from './extract-commit.ts';
import { prepareTools } from './mock-and-load-generator.ts';
import { measureOne } from './scenarios/measure-with-retries.ts';
import { mean, median } from './statistics.ts';
import { startBareProxy } from './targets/compared-proxies.ts';
import { startSwitchyard } from './targets/switchyard.ts';
import { requestBytes, type Target } from './targets/target-and-requests.ts';

type Start = () => Promise<Target>;

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
/** Rounds in which the runtime compiles the hot code. */
const WARM_UP_ROUNDS = 18;
/** Short, because the speed of a shared machine changes within seconds. */
const ROUND_MS = 500;
const ROUNDS = 24;
/** Pairs of new processes of the kept commit and this one, an even number. */
const PAIRS = 4;
/** Exit code without a figure to compare with; `scripts/test.ts` reports the guard as skipped. */
const NOT_COMPARED = 3;
const KEPT = join(import.meta.dirname, 'kept-figures.json');

if (platform() !== 'linux') {
  console.log('The guard of speed reads CPU from /proc and runs on Linux only.');
  process.exit(NOT_COMPARED);
}
const folder = mkdtempSync(join(tmpdir(), 'switchyard-guard-'));
// Each start adds a listener that kills its process.
process.setMaxListeners(4 * PAIRS);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const tools = await prepareTools();
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node.split('.', 1)[0]}, load in ${tools.kind}`;
const kept: KeptFigure[] = JSON.parse(readFileSync(KEPT, 'utf8'));
const last = kept.findLast((figure) => figure.machine === machine);
const mock = await tools.startMock();
const ratio = await measurePair(() => startBareProxy(mock.port), startHere);
console.log(`A relayed request takes ${ratio.toFixed(2)} × the CPU of the bare proxy (${machine}).`);
if (process.argv.includes('--keep')) keep();
const passes = process.argv.includes('--keep') || (await isWithinLimit());
await mock.stop();
process.exit(passes ? 0 : 1);

function startHere(): Promise<Target> {
  return startSwitchyard(mock.port, newDataFolder());
}

function newDataFolder(): string {
  return join(folder, randomUUID());
}

async function isWithinLimit(): Promise<boolean> {
  if (last !== undefined) {
    const limit = last.ratio * GROWTH_MAX;
    console.log(
      `Kept: ${last.ratio.toFixed(2)} × at ${last.commit} on ${last.date}; up to ${limit.toFixed(2)} × passes.`,
    );
    if (ratio <= limit) return true;
  }
  // The newest, on whichever machine it was kept: both programs run on this one.
  const commit = kept.at(-1)?.commit ?? '';
  const source = join(folder, 'kept');
  if (!extractCommit(commit, source)) {
    console.log(`The history lacks the commit ${commit}, so that the two cannot be compared.`);
    process.exit(NOT_COMPARED);
  }
  const path = join(source, 'bench/targets/switchyard.ts');
  const { startSwitchyard: startKept }: { startSwitchyard: typeof startSwitchyard } = await import(path);
  const startThere = async (): Promise<Target> => ({ ...(await startKept(mock.port, newDataFolder())), name: commit });
  const pairs: number[] = [];
  while (pairs.length < PAIRS)
    pairs.push(await measurePair(startThere, startHere), 1 / (await measurePair(startHere, startThere)));
  const growth = Math.exp(mean(pairs.map(Math.log)));
  console.log(`A relayed request takes ${growth.toFixed(2)} × the CPU of ${commit}; up to ${GROWTH_MAX} × passes.`);
  return growth <= GROWTH_MAX;
}

/**
 * Starts both programs in this order, measures them alternately, each first in half of the rounds, and returns the CPU
 * of the second by that of the first. They also warm up alternately: a process that waited for the other's warm-up took
 * more afterwards.
 */
async function measurePair(startFirst: Start, startSecond: Start): Promise<number> {
  const [first, second] = [await startFirst(), await startSecond()];
  const ratios: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const isReversed = round % 2 === 1;
    const earlier = await measureMicros(isReversed ? second : first);
    const later = await measureMicros(isReversed ? first : second);
    if (round >= WARM_UP_ROUNDS) ratios.push(isReversed ? earlier / later : later / earlier);
  }
  for (const target of [first, second]) await target.stop();
  const ratio = median(ratios);
  console.log(`  ${second.name} takes ${ratio.toFixed(3)} × the CPU of ${first.name}`);
  return ratio;
}

async function measureMicros(target: Target): Promise<number> {
  const figures = await measureOne({ tools, milliseconds: ROUND_MS }, target, CONNECTIONS, requestBytes(target));
  return figures.cpuMicros;
}

function keep(): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const figure = { commit, date: new Date().toISOString().slice(0, 10), machine, ratio: Number(ratio.toFixed(3)) };
  writeFileSync(KEPT, `${JSON.stringify([...kept, figure], undefined, 2)}\n`);
}
