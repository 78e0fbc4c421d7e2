/** Downloads of a visitor stay within their budgets. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SIZES = join(import.meta.dirname, '../../apps/console/scripts/print-sizes.ts');

test('no screen of the built console exceeds its budget', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SIZES], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.split('\n').filter((line) => line.includes('TOO LARGE'))).toEqual([]);
  expect(stdout).toContain('panel shell');
  expect(status).toBe(0);
});
