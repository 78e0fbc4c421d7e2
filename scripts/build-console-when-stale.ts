// Builds the console before a start if its sources are newer than the last build.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(root, 'apps/console/dist/index.html');
const sources = [
  'apps/console/src',
  'apps/console/index.html',
  'apps/console/pay.html',
  'apps/console/vite.config.ts',
  'packages/contract/src',
  'package-lock.json',
];

function findNewestChange(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => findNewestChange(join(path, name))));
}

const newest = Math.max(...sources.map((path) => findNewestChange(join(root, path))));
if (!existsSync(built) || statSync(built).mtimeMs < newest) {
  console.log('Building the console …');
  const { status } = spawnSync(
    'npm',
    ['run', 'build', '--silent', '-w', '@switchyard/console', '--', '--logLevel', 'warn'],
    {
      cwd: root,
      stdio: 'inherit',
      // Tests run this too, with another value: React would be built for development.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  process.exit(status ?? 1);
}
