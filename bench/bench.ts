/**
 * Measures the product beside others in one run and compares them: on a shared machine only ratios are meaningful.
 *   npm run bench                      about twenty minutes; writes the table into docs/performance.md
 *   npm run bench -- --only=guarantees one scenario by its name below; writes nothing
 *   npm run bench -- --quick           about two minutes without the log rows; writes nothing
 *   npm run bench -- --idle=9500       as many idle streams; needs `ulimit -n` of 20,000
 *   npm run bench -- --log-rows=10000  as many log records instead of ten million, which take 7 GB of disk
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareTools } from './mock-and-load-generator.ts';
import { ScenarioSkippedError } from './processes.ts';
import { printRows, type Row, writeRows } from './report.ts';
import { measureAddedLatency } from './scenarios/added-latency.ts';
import { measureAnalytics } from './scenarios/analytics.ts';
import type { BenchRun } from './scenarios/bench-run.ts';
import { measureCapacity } from './scenarios/capacity.ts';
import { measureColdStart } from './scenarios/cold-start.ts';
import { measureCommits } from './scenarios/commits.ts';
import { measureConsole } from './scenarios/console.ts';
import { measureGuarantees } from './scenarios/guarantees.ts';
import { measureSharedCosts } from './scenarios/idle-and-storage-costs.ts';
import { measureLogRows } from './scenarios/log-rows.ts';
import { measureManyChannels } from './scenarios/many-channels.ts';
import { repetitions } from './scenarios/measure-with-retries.ts';
import { measureMemory } from './scenarios/memory.ts';
import { measureWholeAnswers } from './scenarios/non-streaming.ts';
import { measureNodes } from './scenarios/postgres-and-redis.ts';
import { measureStreams } from './scenarios/streams.ts';
import { measureWaitingTasks } from './scenarios/waiting-tasks.ts';
import { startBareProxy, startNginx, startPortkey } from './targets/compared-proxies.ts';
import { startSwitchyard } from './targets/switchyard.ts';

const IDLE_STREAMS_MAX = 9_500;

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    idle: { type: 'string', default: '2000' },
    'log-rows': { type: 'string', default: '10000000' },
  },
});
const idleStreams = Math.min(Number.parseInt(flags.idle, 10), IDLE_STREAMS_MAX);

if (platform() !== 'linux') {
  console.error('The measurement reads CPU and memory from /proc and runs on Linux only.');
  process.exit(1);
}

const scenarios: [string, (run: BenchRun) => Promise<Row[]>][] = [
  ['whole answers', measureWholeAnswers],
  ['added latency', measureAddedLatency],
  ['streams', measureStreams],
  ['memory', measureMemory],
  ['guarantees', measureGuarantees],
  ['cold start', measureColdStart],
  ['nodes', measureNodes],
  ['commits', measureCommits],
  ['shared costs', measureSharedCosts],
  ['capacity', measureCapacity],
  ['many channels', ({ folder }) => measureManyChannels(folder)],
  ['waiting tasks', ({ folder }) => measureWaitingTasks(folder)],
  ['analytics', ({ folder }) => measureAnalytics(folder)],
  ['console', ({ folder }) => measureConsole(folder)],
  ['log rows', ({ folder }) => measureLogRows(folder, Number.parseInt(flags['log-rows'], 10))],
];
const chosen = scenarios.filter(([name]) => flags.only === undefined || flags.only === name);
if (chosen.length === 0) {
  console.error(`There is no scenario "${flags.only}"; there are: ${scenarios.map(([name]) => name).join(', ')}.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const leftOut: string[] = [];
async function ifPossible<T>(start: Promise<T>): Promise<T | undefined> {
  try {
    return await start;
  } catch (error) {
    if (!(error instanceof ScenarioSkippedError)) throw error;
    leftOut.push(error.message);
    return undefined;
  }
}

const tools = await prepareTools();
if (tools.kind === 'Node') console.log('No C compiler: the slower load generator in Node is used, ratios shrink.');
const mock = await tools.startMock();
const run: BenchRun = {
  tools,
  folder,
  direct: { port: mock.port, headers: { authorization: 'Bearer bench' } },
  switchyard: await startSwitchyard(mock.port, join(folder, 'data')),
  bare: await startBareProxy(mock.port),
  nginx: await ifPossible(startNginx(mock.port, join(folder, 'nginx'))),
  portkey: await ifPossible(startPortkey(mock.port)),
  leftOut,
  rounds: flags.quick ? 2 : 5,
  milliseconds: flags.quick ? 1_000 : 3_000,
  idleStreams,
};

const rows: Row[] = [];
for (const [name, measure] of chosen) {
  console.log(`Measuring ${name} …`);
  rows.push(...((await ifPossible(measure(run))) ?? []));
}
printRows(rows);
for (const reason of leftOut) console.log(`Left out: ${reason}`);
if (!flags.quick && flags.only === undefined)
  writeRows(rows, [
    `load and mock in ${tools.kind}`,
    `${run.rounds} rounds of ${run.milliseconds / 1000} s`,
    `${repetitions()} measurements made again`,
  ]);
for (const program of [run.bare, run.nginx, run.portkey, mock]) await program?.stop();
process.exit(rows.some((row) => row.verdict === 'missed') ? 1 : 0);
