/**
 * Everything this machine can test: `npm test`. Ends with a list of what was left out and why, and with one line
 * `N passed, N failed`.
 *   node scripts/test.ts [project …]      only these projects
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';

interface Project {
  name: string;
  config: string;
  /** Where its configuration lies; the root when absent. */
  folder?: string;
  /** Files that measure how long something takes: they run one after the other, when the others are done. */
  alone?: readonly string[];
  /** Runs against the built console. */
  needsConsole?: boolean;
  /** Why it cannot run here; undefined when it can. */
  missing(): string | undefined;
}

interface Result {
  file: string;
  /** Empty: the file itself could not be run. */
  test: string;
  status: string;
  message: string;
}

const root = join(import.meta.dirname, '..');
const MAIN_CONFIG = 'tests/vitest.config.ts';
const CONSOLE_FOLDER = 'apps/console';
/** More failures than these are no accident of a busy moment. */
const REPEATED_FILES_MAX = 3;
const RECORDED = ['RECORDED_FIXTURES', '../shared/fixtures/recorded'] as const;

const projects: Project[] = [
  { name: 'unit', config: MAIN_CONFIG, missing: withDatabases },
  { name: 'postgres', config: MAIN_CONFIG, missing: postgresIsMissing },
  {
    name: 'console',
    config: 'vitest.config.ts',
    folder: CONSOLE_FOLDER,
    missing: () => notThere(CONSOLE_FOLDER),
  },
  {
    name: 'conformance',
    config: MAIN_CONFIG,
    missing: () => notThere('tests/conformance'),
  },
  {
    name: 'security',
    config: MAIN_CONFIG,
    alone: testsIn('security', [
      'bombs',
      'guessing',
      'hostile-credentials',
      'lost-rights',
      'lost-sessions',
      'slow-client',
    ]),
    missing: () => notThere('tests/security'),
  },
  {
    name: 'faults',
    config: MAIN_CONFIG,
    alone: testsIn('faults', [
      'dependencies',
      'interrupted-streams',
      'never-locked',
      'redeem',
      'removal',
      'self-check',
      'shutdown',
      'silent-upstream',
      'slow-lists',
      'storm',
      'stream-memory',
    ]),
    missing: () => notThere('tests/faults'),
  },
  {
    name: 'deploy',
    config: MAIN_CONFIG,
    needsConsole: true,
    missing: () => notThere('tests/deploy'),
  },
  {
    name: 'e2e',
    config: MAIN_CONFIG,
    alone: testsIn('e2e', ['responsiveness']),
    needsConsole: true,
    missing: () => notThere('tests/e2e') ?? browserIsMissing(),
  },
];

function testsIn(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `tests/${folder}/${name}.test.ts`);
}

function notThere(path: string): string | undefined {
  return existsSync(join(root, path)) ? undefined : `there is no ${path}`;
}

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return [...(named === undefined ? [] : [named]), ...places].find((place) => existsSync(place));
}

/** Pictures of pages in Chinese show squares without one. */
function hasChineseFont(): boolean {
  try {
    return execFileSync('fc-list', [':lang=zh'], { encoding: 'utf8' }) !== '';
  } catch {
    return false;
  }
}

/** Installs what is needed where that needs no question: on Debian, as root. */
function install(what: string, packages: readonly string[]): void {
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

/** Servers from which installations are taken over, or which nodes share; a test that cannot have its server says so and is skipped. */
function withDatabases(): undefined {
  install('The tests of other databases', [
    ...(existsSync('/usr/lib/postgresql') ? [] : ['postgresql']),
    ...(existsSync('/usr/sbin/mariadbd') && existsSync('/usr/bin/my_print_defaults')
      ? []
      : ['mariadb-server-core', 'mariadb-client-core']),
    ...(existsSync('/usr/bin/redis-server') ? [] : ['redis-server']),
  ]);
}

/** The server's tests once more, on its other database. */
function postgresIsMissing(): string | undefined {
  withDatabases();
  return existsSync('/usr/lib/postgresql')
    ? undefined
    : 'there is no PostgreSQL (install the package postgresql)';
}

/** The system's own Chromium, and a font for Chinese. */
function browserIsMissing(): string | undefined {
  const packages = [
    ...(findChromium() === undefined ? ['chromium'] : []),
    ...(hasChineseFont() ? [] : ['fonts-noto-cjk']),
  ];
  install('The browser tests', packages);
  return findChromium() === undefined
    ? 'no Chromium was found (install the package chromium, or set CHROMIUM_PATH)'
    : undefined;
}

/**
 * Runs one project and shows what it says. Many tests measure how long something takes, and a machine that was busy for
 * a moment fails them: the files of a few failures run once more, alone, and what passed only then is named at the end.
 */
async function runProject(project: Project, folder: string): Promise<Result[]> {
  const { alone = [] } = project;
  const results = await runFiles(project, folder, [
    '--maxWorkers=2',
    ...alone.map((file) => `--exclude=${file}`),
  ]);
  if (alone.length > 0) results.push(...(await runFiles(project, folder, alone)));
  const files = [...new Set(results.filter(isFailure).map(({ file }) => file))];
  if (files.length === 0 || files.length > REPEATED_FILES_MAX || files.includes('')) return results;
  console.log(`\n━━ ${project.name}, once more and alone: ${files.join(' ')}`);
  const repeated = await runFiles(project, folder, files);
  const stillFailing = new Set(repeated.filter(isFailure).map(({ test }) => test));
  unsteady.push(...results.filter((result) => isFailure(result) && !stillFailing.has(result.test)));
  return [...results.filter(({ file }) => !files.includes(file)), ...repeated];
}

async function runFiles(
  { name, config, folder: place = '.' }: Project,
  folder: string,
  which: readonly string[],
): Promise<Result[]> {
  const report = join(folder, `${name}.json`);
  rmSync(report, { force: true });
  const project = config === MAIN_CONFIG ? ['--project', name] : [];
  const args = [
    'run',
    '--config',
    config,
    ...project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...which,
  ];
  const code = await new Promise<number>((resolve) => {
    const child = spawn('vitest', args, { cwd: join(root, place), stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(1));
    child.once('close', (status) => resolve(status ?? 1));
  });
  const results = existsSync(report) ? readReport(report) : [];
  // A run that breaks outside any test must not look like success.
  if (code !== 0 && !results.some(isFailure))
    results.push({ file: '', test: '', status: 'failed', message: `${name} broke off outside any test` });
  return results;
}

function readReport(path: string): Result[] {
  const report: {
    testResults: {
      name: string;
      status: string;
      message: string;
      assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
    }[];
  } = JSON.parse(readFileSync(path, 'utf8'));
  return report.testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const tests = assertionResults.map((test) => ({
      file,
      test: test.fullName,
      status: test.status,
      message: test.failureMessages?.[0] ?? '',
    }));
    const brokeItself = status === 'failed' && !tests.some(isFailure);
    return brokeItself ? [...tests, { file, test: '', status, message }] : tests;
  });
}

const isFailure = ({ status }: { status: string }): boolean => status === 'failed';

/** One line for each, so that the end of a long output says what to look at. */
function show(title: string, results: readonly Result[]): void {
  if (results.length === 0) return;
  const lines = results.map(({ file, test, message }) => {
    const [reason = ''] = message.split('\n', 1);
    return `  ${relative(root, file)} > ${test}: ${reason.slice(0, 300)}`;
  });
  console.log(`\n${title}:\n${lines.join('\n')}`);
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
const leftOut: string[] = [];
const all: Result[] = [];
const unsteady: Result[] = [];

for (const project of projects) {
  if (wanted.length > 0 && !wanted.includes(project.name)) continue;
  const missing = project.missing();
  if (missing !== undefined) {
    leftOut.push(`${project.name}: ${missing}`);
    continue;
  }
  console.log(`\n━━ ${project.name}`);
  if (project.needsConsole === true)
    execFileSync('node', ['scripts/build-console-when-stale.ts'], { cwd: root, stdio: 'inherit' });
  all.push(...(await runProject(project, folder)));
}
rmSync(folder, { recursive: true, force: true });

const [variable, place] = RECORDED;
if (process.env[variable] === undefined && !existsSync(join(root, place)))
  leftOut.push(`recorded provider traffic: not found at ${place}, and ${variable} names no other place`);

/** Programs without which single tests of deployments are skipped. */
const deployTools = { helm: 'the chart is not rendered', 'systemd-analyze': 'the unit is not checked' };
const folders = (process.env['PATH'] ?? '').split(delimiter);
for (const [program, loss] of Object.entries(deployTools))
  if (!folders.some((path) => existsSync(join(path, program))))
    leftOut.push(`deploy: ${loss}, because there is no ${program}`);

const failures = all.filter(isFailure);
const passed = all.filter(({ status }) => status === 'passed').length;
const skipped = all.length - passed - failures.length;
show('Passed only when run once more', unsteady);
show('Failed', failures);
if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`);
console.log(`\n${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failures.length === 0 && passed > 0 ? 0 : 1);
