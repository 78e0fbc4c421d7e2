/** The table of results: printed, and written into docs/performance.md between its markers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

export interface Row {
  what: string;
  /** Target figure, as in docs/performance.md. */
  wanted: string;
  measured: string;
  verdict: 'met' | 'missed' | 'left out' | 'for information';
}

/** A figure without a target. */
export const information = (what: string, measured: string): Row => ({
  what,
  wanted: '',
  measured,
  verdict: 'for information',
});

const DOCUMENT = join(import.meta.dirname, '../docs/performance.md');
const BEGIN = '<!-- results: written by npm run bench -->';
const END = '<!-- end of results -->';

export function printRows(rows: readonly Row[]): void {
  console.log(`\n${table(rows)}\n`);
}

export function writeRows(rows: readonly Row[], conditions: readonly string[]): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('docs/performance.md has lost its markers');
  const results = [
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}, ${conditions.join(', ')}.`,
    '',
    table(rows),
  ].join('\n');
  writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n\n${results}\n\n${text.slice(end)}`);
  console.log(`Written into ${DOCUMENT}`);
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, wanted, measured, verdict }) => [what, wanted, measured, verdict]);
  const all = [['what', 'wanted', 'measured', 'verdict'], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [format(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(format)].join('\n');
}
