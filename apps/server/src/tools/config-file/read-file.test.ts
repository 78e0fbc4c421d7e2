import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const aliases = Array.from(
  { length: 30 },
  (_, level) => `a${level}: &a${level} [${level === 0 ? 'x' : `*a${level - 1}, *a${level - 1}`}]`,
).join('\n');

/** Contents of a file, with the sentence that refuses them. */
const files: readonly [what: string, text: string, error: RegExp][] = [
  ['large file', `# ${'x'.repeat(9_000_000)}`, /more than 8388608 bytes; split it/],
  ['large text', `a: ${'x'.repeat(9_000_000)}`, /more than 8388608 bytes/],
  ['deep lists', '['.repeat(100_000), /:1: The file is nested deeper than 100 levels; use fewer/],
  ['deep maps', '{a: '.repeat(100_000), /nested deeper/],
  ['deep blocks in a line', '- '.repeat(1_000_000), /nested deeper/],
  ['deep blocks of keys', '? '.repeat(1_000_000), /nested deeper/],
  [
    'deep indentation',
    Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
    /:10\d: The file is nested/,
  ],
  ['many entries', '- a\n'.repeat(1_500_000), /more than 1000000 names, values and brackets; split/],
  ['growing aliases', aliases, /alias|no such field/i],
  ['many keys', Array.from({ length: 60_000 }, (_, at) => `k${at}: 1\n`).join(''), /version/],
  [
    'repeated key',
    `${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join('')}k5: 2`,
    /:20001: Map keys must be unique/,
  ],
  [
    'many anchors',
    'a: &a 1\n'.repeat(1).concat(Array.from({ length: 50_000 }, (_, at) => `b${at}: *a\n`).join('')),
    /alias|no such field/i,
  ],
  ['endless quote', `a: "${'\\"'.repeat(1_000_000)}`, /version/],
  ['many tags', '!'.repeat(1_000_000), /.+/],
];

test.each(files)('reads or refuses %s within seconds', (_what, text, error) => {
  const file = join(folder, 'switchyard.yaml');
  writeFileSync(file, text);
  const readCpuMs = startCpuTimer();
  expect(() => readConfigFile(file)).toThrow(error);
  expect(readCpuMs()).toBeLessThan(10_000);
});

test('refuses a device that has no end', () => {
  expect(() => readConfigFile('/dev/zero')).toThrow('/dev/zero has more than 8388608 bytes');
});
