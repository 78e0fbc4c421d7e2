import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskFullError } from '../platform/disk-space.ts';
import { createFolderStore, requireFolderSpace } from './folder-store.ts';

const MEGABYTE = 1_048_576;
const GIGABYTE = 1_024 * MEGABYTE;
const ID = 'a'.repeat(40);
const never = new AbortController().signal;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-folder-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const diskOf = (free: number, size: number) => () => ({ bavail: free, blocks: size, bsize: 1 });
const files = () => readdirSync(join(dataDir, 'works'));
async function* pieces(count: number): AsyncGenerator<Buffer> {
  for (let nth = 0; nth < count; nth += 1) yield Buffer.alloc(MEGABYTE, nth);
}
const write = (disk: ReturnType<typeof diskOf>, count = 1) =>
  createFolderStore(dataDir, disk).write(ID, pieces(count), 'video/mp4', never);

test.each([
  ['2 GB of a large disk', 2 * GIGABYTE, 1_000 * GIGABYTE],
  ['a twentieth of a small one', GIGABYTE / 2, 10 * GIGABYTE],
])('%s stay free for the ledger', async (_what, reserve, size) => {
  const full = diskOf(reserve + 0.5 * MEGABYTE, size);
  await expect(write(full)).rejects.toThrow(DiskFullError);
  const [free, needed] = [reserve / MEGABYTE, reserve / MEGABYTE + 1];
  expect(() => requireFolderSpace(dataDir, MEGABYTE, full)).toThrow(
    new DiskFullError(
      `The disk of ${join(dataDir, 'works')} has ${free} MiB free, and ${needed} MiB are needed, of which ${free} MiB stay free for the ledger. Free some space.`,
    ),
  );
  expect(files()).toEqual([]);

  const roomy = diskOf(reserve + 10 * MEGABYTE, size);
  await write(roomy);
  expect(readFileSync(join(dataDir, 'works', ID))).toHaveLength(MEGABYTE);
  requireFolderSpace(dataDir, MEGABYTE, roomy);
});

test('a disk that fills while a work is written refuses the rest, and nothing of it is left', async () => {
  let free = 2 * GIGABYTE + 30 * MEGABYTE;
  const filling = () => {
    free -= 8 * MEGABYTE;
    return { bavail: free, blocks: 1_000 * GIGABYTE, bsize: 1 };
  };
  await expect(write(filling, 40)).rejects.toThrow(DiskFullError);
  expect(files()).toEqual([]);
});
