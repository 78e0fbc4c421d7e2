// The fast gate: everything a commit must pass, steps that do not depend on each other at the same time.
//   npm run check -- --without-tests    where all tests run afterwards anyway
import { spawn } from 'node:child_process';

interface Step {
  name: string;
  command: string[];
  /** Where to run it; the root when absent. */
  folder?: string;
}

/** The unit tests come alone: some of them look at the clock. */
const waves: Step[][] = [
  [
    { name: 'format', command: ['biome', 'check', '--linter-enabled=false', '.'] },
    { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
    // Several checkers would each work out the same library types, which takes twice the time of one.
    { name: 'types', command: ['tsc', '-b', '--force', '--checkers', '1'] },
    { name: 'boundaries', command: ['node', 'scripts/check-boundaries.ts'] },
    { name: 'dead code', command: ['knip', '--no-progress'] },
    { name: 'translations', command: ['vitest', 'run', 'src/i18n'], folder: 'apps/console' },
  ],
  [
    {
      name: 'unit tests',
      command: ['vitest', 'run', '--config', 'tests/vitest.config.ts', '--project', 'unit', '--maxWorkers=2'],
    },
  ],
];

function run(step: Step): Promise<boolean> {
  const started = performance.now();
  return new Promise((resolve) => {
    const [program = '', ...args] = step.command;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: step.folder ?? '.' });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✓' : '✗'} ${step.name} (${seconds} s)`);
      if (code !== 0 || step.name === 'unit tests') console.log(output.trimEnd());
      resolve(code === 0);
    });
  });
}

let passed = true;
const wanted = process.argv.includes('--without-tests') ? waves.slice(0, 1) : waves;
for (const wave of wanted) {
  const results = await Promise.all(wave.map(run));
  if (results.includes(false)) passed = false;
}
process.exit(passed ? 0 : 1);
