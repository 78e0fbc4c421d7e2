/**
 * Runs the tests of the promises in docs/reliability.md at the sizes that they name, and writes what was measured
 * into that page: `npm run test:faults`. Takes hours.
 *   npm run test:faults -- --short     at the sizes of `npm test`; also writes
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

interface Measured {
  promise: string;
  figure: string;
}

const root = join(import.meta.dirname, '..');
const DOCUMENT = join(root, 'docs/reliability.md');
const BEGIN = '<!-- figures: written by npm run test:faults -->';
const END = '<!-- end of figures -->';

const isShort = process.argv.includes('--short');
const folder = mkdtempSync(join(tmpdir(), 'switchyard-promises-'));
const file = join(folder, 'measured.jsonl');
const { status } = spawnSync('node', ['scripts/test.ts', 'faults'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FAULTS_TIER: isShort ? 'short' : 'long', MEASURED_FILE: file },
});
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
rmSync(folder, { recursive: true });
if (status === 0) writeFigures(lines.map((line): Measured => JSON.parse(line)));
process.exit(status ?? 1);

function writeFigures(figures: readonly Measured[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/reliability.md has lost its markers');
  const rows = figures
    .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
    .map(({ promise, figure }) => `| ${promise} | ${figure.replaceAll('|', '\\|')} |`);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const results = [
    `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${commit}, ${isShort ? 'short' : 'long'} tier, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}.`,
    '',
    '| promise | last measured |',
    '|---|---|',
    ...rows,
  ].join('\n');
  writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n\n${results}\n\n${text.slice(end)}`);
  console.log(`Written into ${DOCUMENT}`);
}
