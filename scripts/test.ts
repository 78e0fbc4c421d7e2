/**
 * Runs the tests, prints skipped tests with their reasons, and ends with one line `N passed, N failed`.
 *   npm test                            everything that protects a user
 *   npm run test:full                   the rest: PostgreSQL's whole matrix, faults and sweeps at their full size,
 *                                       pictures, the performance guard
 *   npm run test:full -- --shard=1/3    the first third of it
 *   npm test -- server security         only these projects
 * TEST_SIZED=later leaves the tests that have a full size to the full run, for those who run both.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

interface Project {
  name: string;
  tier: 'everyday' | 'full';
  /** Runs against the built console. */
  needsConsole?: boolean;
  /** Installs what the project needs, if this requires no question. @returns the reason why it cannot run here */
  prepare?: () => string | undefined;
}

interface Result {
  file: string;
  /** Empty if the file itself could not be run. */
  test: string;
  status: string;
  message: string;
}

interface Run {
  results: Result[];
  /** Milliseconds of each file, from the start of its first test to the end of its last. */
  files: Map<string, number>;
}

const root = join(import.meta.dirname, '..');
const RECORDED = ['RECORDED_FIXTURES', '../shared/fixtures/recorded'] as const;
/** Maximum files that are run again to tell flaky tests from broken ones; a larger number is broken in any case. */
const REPEATED_FILES_MAX = 10;
const SLOWEST_SHOWN = 10;
/** Exit code of `bench/guard.ts` without a commit to compare with. */
const NOT_COMPARED = 3;

const projects: readonly Project[] = [
  { name: 'pure', tier: 'everyday' },
  { name: 'server', tier: 'everyday', prepare: installDatabases },
  { name: 'engines', tier: 'everyday', prepare: installDatabases },
  { name: 'console-pure', tier: 'everyday' },
  { name: 'console', tier: 'everyday' },
  { name: 'conformance', tier: 'everyday' },
  { name: 'security', tier: 'everyday' },
  { name: 'faults', tier: 'everyday' },
  { name: 'deploy', tier: 'everyday', needsConsole: true },
  { name: 'e2e', tier: 'everyday', needsConsole: true, prepare: installBrowser },
  { name: 'measured', tier: 'everyday' },
  { name: 'measured-browser', tier: 'everyday', needsConsole: true, prepare: installBrowser },
  { name: 'postgres', tier: 'full', prepare: installPostgres },
  { name: 'pictures', tier: 'full', needsConsole: true, prepare: installBrowser },
  { name: 'full-size', tier: 'full', prepare: installDatabases },
  { name: 'full-size-browser', tier: 'full', needsConsole: true, prepare: installBrowser },
  { name: 'full-size-measured', tier: 'full' },
];

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  const places = [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  return [...(named === undefined ? [] : [named]), ...places].find((place) => existsSync(place));
}

/** Returns whether a font for Chinese is installed; without one, pictures show squares instead of Chinese text. */
function hasChineseFont(): boolean {
  try {
    return execFileSync('fc-list', [':lang=zh'], { encoding: 'utf8' }) !== '';
  } catch {
    return false;
  }
}

/** Installs packages if this requires no question: on Debian, as root. */
function installPackages(what: string, packages: readonly string[]): void {
  if (packages.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const named = packages.join(' ');
  console.log(`${what} need what is not installed: running apt-get install -y ${named}`);
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'inherit' });
  } catch {
    console.log(`apt-get could not install ${named}`);
  }
}

/** Installs the servers that the tests start; a test whose server is missing is skipped with a message. */
function installDatabases(): undefined {
  installPackages('The tests of other databases', [
    ...(existsSync('/usr/lib/postgresql') ? [] : ['postgresql']),
    ...(existsSync('/usr/sbin/mariadbd') && existsSync('/usr/bin/my_print_defaults')
      ? []
      : ['mariadb-server-core', 'mariadb-client-core']),
    ...(existsSync('/usr/bin/redis-server') ? [] : ['redis-server']),
  ]);
}

function installPostgres(): string | undefined {
  installDatabases();
  return existsSync('/usr/lib/postgresql') ? undefined : 'there is no PostgreSQL (install the package postgresql)';
}

/** Installs the system's own Chromium, and a font for Chinese. */
function installBrowser(): string | undefined {
  const packages = [
    ...(findChromium() === undefined ? ['chromium-headless-shell'] : []),
    ...(hasChineseFont() ? [] : ['fonts-noto-cjk']),
  ];
  installPackages('The browser tests', packages);
  return findChromium() === undefined
    ? 'no Chromium was found (install the package chromium-headless-shell or chromium, or set CHROMIUM_PATH)'
    : undefined;
}

/** Runs these projects together; vitest runs the measuring ones after the others (`sequence.groupOrder`). */
async function runProjects(names: readonly string[], more: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
  const report = join(folder, 'report.json');
  const args = [
    'run',
    '--config',
    'tests/vitest.config.ts',
    ...names.flatMap((name) => ['--project', name]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...more,
  ];
  const code = await new Promise<number>((resolve) => {
    const child = spawn('vitest', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(1));
    child.once('close', (status) => resolve(status ?? 1));
  });
  const run = existsSync(report) ? readReport(report) : { results: [], files: new Map<string, number>() };
  rmSync(folder, { recursive: true, force: true });
  // An error outside of any test must not look like success.
  if (code !== 0 && !run.results.some(isFailure))
    run.results.push({ file: '', test: '', status: 'failed', message: 'The run broke outside any test' });
  return run;
}

function readReport(path: string): Run {
  const report: {
    testResults: {
      name: string;
      status: string;
      message: string;
      startTime: number;
      endTime: number;
      assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
    }[];
  } = JSON.parse(readFileSync(path, 'utf8'));
  const files = new Map<string, number>();
  const results = report.testResults.flatMap((one) => {
    const file = relative(root, one.name);
    files.set(file, (files.get(file) ?? 0) + one.endTime - one.startTime);
    const tests = one.assertionResults.map((test) => ({
      file,
      test: test.fullName,
      status: test.status,
      message: test.failureMessages?.[0] ?? '',
    }));
    if (tests.some(isFailure)) return tests;
    if (one.status === 'failed') return [...tests, { file, test: '', status: 'failed', message: one.message }];
    // A worker that crashes leaves its file without tests, or with tests that never began.
    const isUnfinished = tests.length === 0 || tests.some(({ status }) => status === 'pending');
    const message = 'The file did not run to its end';
    return isUnfinished ? [...tests, { file, test: '', status: 'failed', message }] : tests;
  });
  return { results, files };
}

const isFailure = ({ status }: { status: string }): boolean => status === 'failed';

/** @returns the failed tests that pass when their files run once more: they are flaky, and fail the run too */
async function findFlaky(names: readonly string[], failures: readonly Result[]): Promise<Result[]> {
  const files = [...new Set(failures.map(({ file }) => file))];
  if (files.length === 0 || files.length > REPEATED_FILES_MAX || files.includes('')) return [];
  console.log(`\n━━ Once more, to tell flaky tests from broken ones: ${files.join(' ')}`);
  const { results } = await runProjects(names, ['--maxWorkers=1', ...files]);
  const failing = new Set(results.filter(isFailure).map(({ file }) => file));
  const passing = new Set(results.filter(({ status }) => status === 'passed').map(({ file }) => file));
  // An error outside of any test says nothing about the tests.
  if (failing.has('')) return [];
  return failures.filter(({ file }) => passing.has(file) && !failing.has(file));
}

/** Prints one line for each result, so that the end of a long output names the failures. */
function printResults(title: string, results: readonly Result[]): void {
  if (results.length === 0) return;
  const lines = results.map(({ file, test, message }) => {
    const [reason = ''] = message.split('\n', 1);
    return `  ${file} > ${test}: ${reason.slice(0, 300)}`;
  });
  console.log(`\n${title}:\n${lines.join('\n')}`);
}

function printSlowest(files: ReadonlyMap<string, number>): void {
  const slowest = [...files].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
  const lines = slowest.map(([file, ms]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  console.log(`\nSlowest files:\n${lines.join('\n')}`);
}

/** Runs the performance guard. @returns its exit code */
async function guardSpeed(): Promise<number> {
  console.log('\n━━ speed');
  return await new Promise<number>((resolve) => {
    const child = spawn('node', ['bench/guard.ts'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(1));
    child.once('close', (status) => resolve(status ?? 1));
  });
}

const { values: flags, positionals: requestedProjects } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, shard: { type: 'string' } },
});
const unknown = requestedProjects.filter((name) => !projects.some((project) => project.name === name));
if (unknown.length > 0) {
  console.error(`Unknown projects: ${unknown.join(', ')}. There are: ${projects.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}
const started = performance.now();
const leftOut: string[] = [];
const tier = flags.full ? 'full' : 'everyday';
const chosen = projects.filter(({ name, tier: of }) =>
  requestedProjects.length > 0 ? requestedProjects.includes(name) : of === tier,
);
const runnable = chosen.filter(({ name, prepare }) => {
  const missing = prepare?.();
  if (missing !== undefined) leftOut.push(`${name}: ${missing}`);
  return missing === undefined;
});
if (runnable.length === 0) {
  console.error(`Nothing to run. Left out: ${leftOut.join('; ')}`);
  process.exit(1);
}
const names = runnable.map(({ name }) => name);
if (runnable.some(({ needsConsole }) => needsConsole))
  execFileSync('node', ['scripts/build-console-when-stale.ts'], { cwd: root, stdio: 'inherit' });

process.env['TEST_SIZE'] ??= flags.full ? 'full' : 'short';
// A repeated run uses the same samples.
process.env['SEED'] ??= String(Date.now() % 1_000_000);
const { results, files } = await runProjects(names, flags.shard === undefined ? [] : [`--shard=${flags.shard}`]);
const flaky = await findFlaky(names, results.filter(isFailure));
const isLastShard = flags.shard === undefined || /^(\d+)\/\1$/.test(flags.shard);
if (flags.full && requestedProjects.length === 0 && isLastShard) {
  const code = await guardSpeed();
  if (code === NOT_COMPARED) leftOut.push('speed: there was no commit to compare with; see above');
  else
    results.push({
      file: 'bench/guard.ts',
      test: 'a relayed request takes at most 15 % more CPU than at the kept commit',
      status: code === 0 ? 'passed' : 'failed',
      message: 'see above',
    });
}

const failures = results.filter(isFailure);
const broken = failures.filter((failure) => !flaky.includes(failure));

const [variable, place] = RECORDED;
if (process.env[variable] === undefined && !existsSync(join(root, place)))
  leftOut.push(`recorded provider traffic: not found at ${place}, and ${variable} names no other place`);
if (process.env['TEST_SIZED'] === 'later' && !flags.full)
  leftOut.push('tests that have a full size: npm run test:full runs them (TEST_SIZED=later)');
/** Programs without which some tests of deployments are skipped. */
const deployTools = { helm: 'the chart is not rendered', 'systemd-analyze': 'the unit is not checked' };
const servers = { PostgreSQL: '/usr/lib/postgresql', MariaDB: '/usr/sbin/mariadbd', Redis: '/usr/bin/redis-server' };
for (const [server, path] of Object.entries(servers))
  if (!existsSync(path)) leftOut.push(`tests that need ${server}: there is no ${path}`);
const folders = (process.env['PATH'] ?? '').split(delimiter);
for (const [program, loss] of Object.entries(deployTools))
  if (names.includes('deploy') && !folders.some((path) => existsSync(join(path, program))))
    leftOut.push(`deploy: ${loss}, because there is no ${program}`);

/** Flaky tests fail the run, unless `TEST_FLAKY=named` only reports them. */
const failed = process.env['TEST_FLAKY'] === 'named' ? broken : failures;
const passed = results.filter(({ status }) => status === 'passed').length + failures.length - failed.length;
const skipped = results.length - passed - failed.length;
printSlowest(files);
printResults('Flaky: failed, and passed when run once more', flaky);
printResults('Failed', broken);
if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`);
console.log(`\nTook ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
console.log(`${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed.length === 0 && passed > 0 ? 0 : 1);
