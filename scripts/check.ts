/**
 * The fast check for every commit: a minute and a half, and the related tests. Static checks run two at a time. npm run
 * check                      static checks, pure tests, tests related to uncommitted changes or the last commit npm run
 * check -- --since main      static checks, pure tests, tests related to all changes since that commit npm run check --
 * --without-tests   static checks only, for runs of all tests that follow
 */
import { execFileSync, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

interface Step {
  name: string;
  command: readonly string[];
  /** Prints the step's output even if it passed. */
  isShown?: boolean;
}

const CONCURRENT_STEPS = 2;
const vitest = ['vitest', 'run', '--config', 'tests/vitest.config.ts', '--reporter=dot', '--maxWorkers=2'];
const pureProjects = ['--project', 'pure', '--project', 'console-pure'];
/**
 * Projects whose related tests are run. Most tests of security and faults import the whole server, so that each change
 * of it would run all of them.
 */
const importingProjects = ['server', 'engines', 'console', 'conformance'].flatMap((name) => ['--project', name]);

const { values: flags } = parseArgs({
  options: { 'without-tests': { type: 'boolean', default: false }, since: { type: 'string' } },
});

/** The longest first, so that the two concurrent series end at about the same time. */
const staticChecks: readonly Step[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'boundaries', command: ['node', 'scripts/check-boundaries.ts'] },
  { name: 'format', command: ['biome', 'check', '--linter-enabled=false', '.'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  {
    name: 'translations',
    // The pure tests of translations run with the pure tests.
    command: [
      ...vitest,
      ...(flags['without-tests'] ? pureProjects : []),
      '--project',
      'console',
      'apps/console/src/i18n',
    ],
  },
];
const tests = (): readonly Step[] => [
  { name: 'pure tests', command: [...vitest, ...pureProjects], isShown: true },
  {
    name: 'related tests',
    command: [...vitest, ...importingProjects, '--passWithNoTests', `--changed=${flags.since ?? findBaseCommit()}`],
    isShown: true,
  },
];

/** Returns the commit to compare with: the last one, or the one before it if there are no changes. */
function findBaseCommit(): string {
  const changes = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  return changes === '' ? 'HEAD~1' : 'HEAD';
}

function runStep({ name, command, isShown = false }: Step): Promise<boolean> {
  const started = performance.now();
  return new Promise((resolve) => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
      if (code !== 0 || isShown) console.log(output.trim());
      resolve(code === 0);
    });
  });
}

/** @returns whether all of them passed */
async function runSteps(steps: readonly Step[], atOnce: number): Promise<boolean> {
  const left = [...steps];
  let passed = true;
  const next = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) if (!(await runStep(step))) passed = false;
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return passed;
}

const started = performance.now();
const isSound = await runSteps(staticChecks, CONCURRENT_STEPS);
// Each test run keeps both processors busy by itself.
const isTested = flags['without-tests'] || (await runSteps(tests(), 1));
console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s`);
process.exit(isSound && isTested ? 0 : 1);
