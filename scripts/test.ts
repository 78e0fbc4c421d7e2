/**
 * Everything this machine can test: `npm test`. Ends with a list of what was left out and why, and with one line
 * `N passed, N failed`.
 *   node scripts/test.ts [project …]      only these projects
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Project {
  name: string;
  config: string;
  /** Where its configuration lies; the root when absent. */
  folder?: string;
  /** Measures nothing, so that its files may run beside each other. */
  parallel?: boolean;
  /** Runs against the built console. */
  needsConsole?: boolean;
  /** Why it cannot run here; undefined when it can. */
  missing(): string | undefined;
}

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  /** Each failed test with the first line of its message, so that the end of a long output says what to look at. */
  failures: string[];
}

const root = join(import.meta.dirname, '..');
const MAIN_CONFIG = 'tests/vitest.config.ts';
const CONSOLE_FOLDER = 'apps/console';
const RECORDED = ['RECORDED_FIXTURES', '../shared/fixtures/recorded'] as const;
const always = (): undefined => undefined;

const projects: Project[] = [
  { name: 'unit', config: MAIN_CONFIG, parallel: true, missing: always },
  {
    name: 'console',
    config: 'vitest.config.ts',
    folder: CONSOLE_FOLDER,
    parallel: true,
    missing: () => notThere(CONSOLE_FOLDER),
  },
  { name: 'conformance', config: MAIN_CONFIG, missing: () => notThere('tests/conformance') },
  { name: 'security', config: MAIN_CONFIG, missing: () => notThere('tests/security') },
  { name: 'faults', config: MAIN_CONFIG, missing: () => notThere('tests/faults') },
  {
    name: 'e2e',
    config: MAIN_CONFIG,
    needsConsole: true,
    missing: () => notThere('tests/e2e') ?? browserIsMissing(),
  },
];

function notThere(path: string): string | undefined {
  return existsSync(join(root, path)) ? undefined : `there is no ${path}`;
}

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return [...(named === undefined ? [] : [named]), ...places].find((place) => existsSync(place));
}

/** Installs the system's own Chromium where that needs no question: on Debian, as root. */
function browserIsMissing(): string | undefined {
  if (findChromium() !== undefined) return undefined;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return 'no Chromium was found (install the package chromium, or set CHROMIUM_PATH)';
  console.log('The browser tests need Chromium, which is not installed: running apt-get install -y chromium');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'inherit' });
  } catch {
    return 'no Chromium was found, and apt-get could not install it';
  }
  return findChromium() === undefined
    ? 'Chromium was installed, but is not where it was expected'
    : undefined;
}

/** Runs one project, shows what it says, and counts from its report. */
async function runProject(
  { name, config, parallel = false, folder: place = '.' }: Project,
  folder: string,
): Promise<Totals> {
  const report = join(folder, `${name}.json`);
  const project = config === MAIN_CONFIG ? ['--project', name] : [];
  const args = [
    'run',
    '--config',
    config,
    ...project,
    ...(parallel ? ['--maxWorkers=2'] : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const code = await new Promise<number>((resolve) => {
    const child = spawn('vitest', args, { cwd: join(root, place), stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(1));
    child.once('close', (status) => resolve(status ?? 1));
  });
  const totals = existsSync(report) ? readReport(report) : { passed: 0, failed: 0, skipped: 0, failures: [] };
  // A run that breaks outside any test must not look like success.
  if (code !== 0 && totals.failed === 0) {
    totals.failed = 1;
    totals.failures.push('outside any test; see its output');
  }
  return { ...totals, failures: totals.failures.map((failure) => `${name}: ${failure}`) };
}

function readReport(file: string): Totals {
  const report: {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
    testResults: {
      message: string;
      name: string;
      assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
    }[];
  } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: report.testResults.flatMap((file) => [
      ...(file.message === '' ? [] : [`${file.name}: ${firstLine(file.message)}`]),
      ...file.assertionResults
        .filter(({ status }) => status === 'failed')
        .map((test) => `${file.name} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`),
    ]),
  };
}

const firstLine = (text = ''): string => (text.split('\n', 1)[0] ?? '').slice(0, 300);

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
const leftOut: string[] = [];
const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };

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
  const result = await runProject(project, folder);
  totals.passed += result.passed;
  totals.failed += result.failed;
  totals.skipped += result.skipped;
  totals.failures.push(...result.failures);
}
rmSync(folder, { recursive: true, force: true });

const [variable, place] = RECORDED;
if (process.env[variable] === undefined && !existsSync(join(root, place)))
  leftOut.push(`recorded provider traffic: not found at ${place}, and ${variable} names no other place`);

if (leftOut.length > 0) console.log(`\nLeft out:\n${leftOut.map((line) => `  ${line}`).join('\n')}`);
if (totals.failures.length > 0)
  console.log(`\nFailed:\n${totals.failures.map((line) => `  ${line}`).join('\n')}`);
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);
