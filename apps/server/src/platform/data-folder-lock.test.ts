import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataFolder } from './data-folder-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder has one owner at a time, which is named to the next one', () => {
  const first = lockDataFolder(folder);
  expect(() => lockDataFolder(folder)).toThrow('Another process is using the data folder');
  first.release();
  lockDataFolder(folder).release();
});

test('a lock that cannot be taken for another reason is not put down to another process', () => {
  const lock = join(folder, 'process.lock');
  writeFileSync(lock, 'no lock of ours'.repeat(50));
  expect(() => lockDataFolder(folder)).toThrow(`The lock ${lock} cannot be acquired: `);
});
