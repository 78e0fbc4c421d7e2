/** docs/parity.md links existing screens and tests. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rows = read('docs/parity.md')
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|---') && !line.startsWith('| there'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

test('every line names a test, and each of them exists', () => {
  expect(rows.length).toBeGreaterThan(35);
  for (const [, there, , tests] of rows) expect(quoted(tests).length, there).toBeGreaterThan(0);
  const missing = rows.flatMap(([, , , tests]) => quoted(tests)).filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

test('every address belongs to the console', () => {
  const panel = [...read('apps/console/src/app/screens.ts').matchAll(/^ {4}path: '(.+)',$/gm)].map(
    ([, path = '']) => new RegExp(`^/panel/${path.replaceAll(/\$\w+/g, '[^/]+')}$`),
  );
  const others = ['apps/console/src/paths.ts', 'apps/console/src/app/router.tsx'].map(read).join('\n');
  const addresses = rows.flatMap(([, , here]) => quoted(here)).filter((text) => text.startsWith('/'));
  expect(addresses.length).toBeGreaterThan(35);
  const unknown = addresses.filter(
    (address) =>
      !panel.some((path) => path.test(address)) &&
      !others.includes(`'${address}'`) &&
      !address.startsWith('/oauth/') &&
      !others.includes(`'${address.replace('/panel/', '')}'`),
  );
  expect(unknown).toEqual([]);
});
