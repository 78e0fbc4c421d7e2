/**
 * Runs the tests of the promises in docs/reliability.md at their documented sizes, one after the other, and writes
 * their measurements into that page: `npm run test:faults`. Takes hours.
 *   npm run test:faults -- kill breaker    only these tests; the others' figures stay
 *   npm run test:faults -- --short         at the sizes of `npm test`; also writes
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

interface Row {
  promise: string;
  test: string;
  figure: string;
  run: string;
}

const root = join(import.meta.dirname, '..');
const TESTS = 'tests/faults';
const DOCUMENT = join(root, 'docs/reliability.md');
const BEGIN = '<!-- figures: written by npm run test:faults -->';
const END = '<!-- end of figures -->';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const tier = process.argv.includes('--short') ? 'short' : 'long';
const folder = mkdtempSync(join(tmpdir(), 'switchyard-promises-'));
let failed = 0;
for (const test of names.length > 0 ? names : listTests()) {
  const { rows, held } = runTest(test);
  if (!held) failed += 1;
  replaceRows(test, rows);
}
rmSync(folder, { recursive: true });
console.log(`Written into ${DOCUMENT}; ${failed} tests failed`);
process.exit(failed === 0 ? 0 : 1);

function listTests(): string[] {
  const ending = '.test.ts';
  return readdirSync(join(root, TESTS))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));
}

function runTest(test: string): { rows: Row[]; held: boolean } {
  const file = join(folder, `${test}.jsonl`);
  const projects = ['faults', 'measured', 'full-size', 'full-size-measured'].flatMap((name) => ['--project', name]);
  const { status } = spawnSync(
    'vitest',
    ['run', '--config', 'tests/vitest.config.ts', ...projects, `${TESTS}/${test}.test.ts`],
    {
      cwd: root,
      stdio: 'inherit',
      // With `TEST_SIZED=later`, each file is in one of these projects.
      env: { ...process.env, TEST_SIZE: tier, TEST_SIZED: 'later', MEASURED_FILE: file },
    },
  );
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const held = status === 0;
  const run = `${held ? '' : '**a test failed**, '}${tier}, ${new Date().toISOString().slice(0, 10)}, ${readCommit()}`;
  const rows = lines.map((line): Row => ({ ...JSON.parse(line), test, run }));
  if (rows.length === 0 && !held) rows.push({ promise: '', test, figure: 'nothing', run });
  return { rows, held };
}

function readCommit(): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

function replaceRows(test: string, measured: readonly Row[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/reliability.md has lost its markers');
  const rows = [...readRows(text.slice(begin, end)).filter((row) => row.test !== test), ...measured];
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}`;
  const table = [
    `Last measured on ${machine}:`,
    '',
    '| promise | test | measured | run |',
    '|---|---|---|---|',
    ...rows
      .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
      .map((row) => `| ${row.promise} | \`${row.test}\` | ${row.figure.replaceAll('|', '/')} | ${row.run} |`),
  ].join('\n');
  writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`);
}

function readRows(text: string): Row[] {
  return [...text.matchAll(/^\| (P\d+|) \| `(.+?)` \| (.+) \| (.+) \|$/gm)].map(
    ([, promise = '', test = '', figure = '', run = '']) => ({ promise, test, figure, run }),
  );
}
