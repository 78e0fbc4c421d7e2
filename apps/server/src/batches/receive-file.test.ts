import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskFullError } from '../platform/disk-space.ts';
import { type FeatureApp, startFeatureApp } from '../testing/start-feature-app.ts';
import { createFile, newBatchId } from './batch-files.ts';
import { receiveFile } from './receive-file.ts';

const MEGABYTE = 1_048_576;
const GIGABYTE = 1_024 * MEGABYTE;
const PIECES = 20;

let app: FeatureApp;
beforeEach(async () => {
  app = await startFeatureApp([]);
});
afterEach(() => app.close());

const files = () => readdirSync(join(app.ctx.config.dataDir, 'batch-files'));
/** So much is free when it is asked first, and less each time. */
const filling = (free: number, by = 0) => {
  let left = free + by;
  return () => {
    left -= by;
    return { bavail: left, blocks: 1_000 * GIGABYTE, bsize: 1 };
  };
};

async function* form(): AsyncGenerator<Buffer> {
  yield Buffer.from('--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n');
  yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="in.jsonl"\r\n\r\n');
  for (let nth = 0; nth < PIECES; nth += 1) yield Buffer.alloc(MEGABYTE, 'x');
  yield Buffer.from('\r\n--b--\r\n');
}

async function upload(disk: ReturnType<typeof filling>) {
  const { id: userId } = await app.createUser('user');
  const sent = { userId, apiKeyId: null, contentType: 'multipart/form-data; boundary=b', body: form() };
  return receiveFile(app.ctx, { ...sent, tooLarge: () => new Error('too large') }, disk);
}

test('2 GB of the disk stay free for the ledger, and refused files leave nothing behind', async () => {
  await expect(upload(filling(2 * GIGABYTE + 0.5 * MEGABYTE))).rejects.toThrow(DiskFullError);
  expect(files()).toEqual([]);
  const { id } = await upload(filling(2 * GIGABYTE + 30 * MEGABYTE));
  expect(files()).toEqual([id]);
});

test('a disk that fills while a file arrives refuses the rest', async () => {
  await expect(upload(filling(2 * GIGABYTE + 20 * MEGABYTE, 8 * MEGABYTE))).rejects.toThrow(DiskFullError);
  expect(files()).toEqual([]);
});

test('a file of answers leaves as much', async () => {
  const file = await createFile(app.ctx, newBatchId('file-'), filling(2 * GIGABYTE));
  await expect(file.write('{}\n')).rejects.toThrow(DiskFullError);
  await file.discard();
  expect(files()).toEqual([]);
});
