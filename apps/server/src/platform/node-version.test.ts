import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNodeSupported, NODE_MIN } from './node-version.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each([
  ['20.19.5', false],
  ['24.0.0', false],
  ['24.9.0', false],
  ['24.15.9', false],
  ['24.16.0', true],
  ['24.16.1', true],
  ['24.100.0', true],
  ['26.0.0', true],
])('Node.js %s may run the server: %s', (version, isSupported) => {
  expect(isNodeSupported(version)).toBe(isSupported);
});

test('every place that names the oldest Node.js names the same', () => {
  const { engines, optionalDependencies } = JSON.parse(read('package.json'));
  expect(engines).toEqual({ node: `>=${NODE_MIN}` });
  expect(JSON.parse(read('package-lock.json')).packages[''].engines).toEqual(engines);
  expect(read('apps/server/switchyard.js')).toContain(`const NODE_MIN = '${NODE_MIN}';`);
  const pages = ['README.md', 'docs/manual/deployment.md', 'docs/zh_CN/README.md', 'docs/zh_CN/manual/deployment.md'];
  for (const path of pages) expect(read(path), path).toContain(` ${NODE_MIN} `);
  const carried = [...Object.values<string>(optionalDependencies), /FROM node:([\d.]+)/.exec(read('Dockerfile'))?.[1]];
  expect(carried.length).toBeGreaterThan(3);
  for (const version of carried) expect(isNodeSupported(version ?? ''), version).toBe(true);
});

test.each([
  ['main.ts', 'npm start'],
  ['cli.ts', 'npm run switchyard -- <command>'],
  ['tools/demo/demo.ts', 'npm run demo'],
])('an older Node.js is refused by %s with a sentence, before it loads the server', (program, start) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.15.0' } })`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(root, 'apps/server/src', program)],
    // The server itself would complain about the port.
    { encoding: 'utf8', env: { PORT: 'none' } },
  );
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `Switchyard needs Node.js ${NODE_MIN} or later; this is 24.15.0. Start it with: ${start}\n`,
  });
});
