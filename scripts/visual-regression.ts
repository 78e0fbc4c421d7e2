/**
 * Compares the main screens with their accepted pictures in tests/e2e/appearance.
 *   npm run appearance                 reports which screens look different, and where
 *   npm run appearance -- --accept     accepts how they look now
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({ options: { accept: { type: 'boolean', default: false } } });
const cwd = join(import.meta.dirname, '..');
const { status } = spawnSync('vitest', ['run', '--config', 'tests/vitest.config.ts', '--project', 'pictures'], {
  cwd,
  stdio: 'inherit',
  env: { ...process.env, ACCEPT_APPEARANCE: String(flags.accept) },
});
process.exit(status ?? 1);
