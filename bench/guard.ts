/**
 * Guards the CPU time of a relayed request: measures it against the bare proxy in the same run. When the ratio is more than 15 %
 * above the last figure that was kept on the same kind of machine, what else the machine does may be the reason, as may
 * be the product. The kept commit is then measured in turn with this one, and the guard fails when this one takes more
 * than 15 % more. `npm run test:full` runs it last, alone.
 *   node bench/guard.ts          measures and compares
 *   node bench/guard.ts --keep   also keeps the figure in bench/kept-figures.json, to be committed
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractCommit } from './extract-commit.ts';
import { measureOne } from './scenarios/figures.ts';
import { median } from './statistics.ts';
import { startBareProxy } from './targets/bare.ts';
import { startSwitchyard } from './targets/switchyard.ts';
import { requestBytes, type Target } from './targets/target.ts';
import { prepareTools } from './tools.ts';

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
const mock = await tools.startMock();
const switchyard = await startSwitchyard(mock.port, join(folder, 'data'));
const ratio = await measureAgainst(await startBareProxy(mock.port));
console.log(`A relayed request takes ${ratio.toFixed(2)} × the CPU of the bare proxy (${machine}).`);
if (process.argv.includes('--keep')) keep();
const passes = process.argv.includes('--keep') || (await isWithinLimit());
for (const program of [switchyard, mock]) await program.stop();
process.exit(passes ? 0 : 1);

async function isWithinLimit(): Promise<boolean> {
  if (last !== undefined) {
    const limit = last.ratio * GROWTH_MAX;
    console.log(
      `Kept: ${last.ratio.toFixed(2)} × at ${last.commit} on ${last.date}; up to ${limit.toFixed(2)} × passes.`,
    );
    if (ratio <= limit) return true;
  }
  const commit = (last ?? kept.at(-1))?.commit ?? '';
  const source = join(folder, 'kept');
  if (!extractCommit(commit, source)) {
    console.log(`The history lacks the commit ${commit}, so that the two cannot be compared.`);
    process.exit(NOT_COMPARED);
  }
  const path = join(source, 'bench/targets/switchyard.ts');
  const { startSwitchyard: startKept }: { startSwitchyard: typeof startSwitchyard } = await import(path);
  const growth = await measureAgainst(await startKept(mock.port, join(folder, 'kept-data')));
  console.log(`A relayed request takes ${growth.toFixed(2)} × the CPU of ${commit}; up to ${GROWTH_MAX} × passes.`);
  return growth <= GROWTH_MAX;
}

/** Returns the median ratio of five rounds, each of which measures the other program and then Switchyard, and stops the other. */
async function measureAgainst(other: Target): Promise<number> {
  for (const target of [other, switchyard]) await measureMicros(target, WARM_UP_MS);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const below = await measureMicros(other, ROUND_MS);
    const own = await measureMicros(switchyard, ROUND_MS);
    console.log(`  ${own.toFixed(0)} µs against ${below.toFixed(0)} µs: ${(own / below).toFixed(2)} ×`);
    ratios.push(own / below);
  }
  await other.stop();
  return median(ratios);
}

async function measureMicros(target: Target, milliseconds: number): Promise<number> {
  const figures = await measureOne({ tools, milliseconds }, target, CONNECTIONS, requestBytes(target));
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
