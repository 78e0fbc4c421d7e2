import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';
import {
  type BatchRow,
  insertBatch,
  isLineAnswered,
  listOpenBatches,
  listResponsesAfter,
  recordLineRequest,
  recordValidated,
  storeLineResponse,
} from './batch-store.ts';
import { writeResponses } from './write-output-files.ts';

let app: TestApp;
let batch: BatchRow;

beforeAll(async () => {
  app = await startTestApp();
  const user = await app.createUser('user');
  const asked = {
    user_id: user.id,
    api_key_id: 1,
    address: '127.0.0.1',
    endpoint: '/v1/chat/completions',
    input_file_id: 'file-1',
    output_seconds: null,
    metadata: null,
  };
  batch = await insertBatch(app.ctx, asked, async () => {});
  await recordValidated(app.ctx, batch.id, { total: 1, model: 'scripted-model' });
});
afterAll(() => app.close());

test('a line is asked by the node that knows the request before it, until it has its response', async () => {
  const asks = (requestId: string, before?: string) =>
    recordLineRequest(app.ctx, batch.id, { line: 1, requestId, previousRequestId: before });
  expect(await asks('first')).toBe(true);
  expect(await asks('of a node that saw nothing')).toBe(false);
  expect(await asks('second', 'first')).toBe(true);
  expect(await asks('of a node that slept', 'first')).toBe(false);
  expect(await isLineAnswered(app.ctx, batch.id, 1)).toBe(false);
  await storeLineResponse(app.ctx, batch.id, { line: 1, isError: false, output: '{}' });
  expect(await isLineAnswered(app.ctx, batch.id, 1)).toBe(true);
  expect(await asks('third', 'second')).toBe(false);
});

test('responses are read a megabyte at a time, or one', async () => {
  const outputs = [100, 100, 900_000, 900_000, 3_000_000, 100];
  for (const [at, bytes] of outputs.entries()) {
    const line = at + 10;
    await recordLineRequest(app.ctx, batch.id, { line, requestId: `request ${line}`, previousRequestId: undefined });
    await storeLineResponse(app.ctx, batch.id, { line, isError: false, output: 'x'.repeat(bytes) });
  }
  const pages: number[][] = [];
  for (let last = 9; last !== 15; last = pages.at(-1)?.at(-1) ?? 15)
    pages.push((await listResponsesAfter(app.ctx, batch.id, last)).map(({ line }) => line));
  expect(pages).toEqual([[10, 11, 12], [13], [14], [15]]);
  expect(await listResponsesAfter(app.ctx, batch.id, 15)).toEqual([]);
});

test('the search for open batches reads nothing that their owners choose', async () => {
  const [open] = await listOpenBatches(app.ctx);
  expect(Object.keys(open ?? {}).toSorted()).toEqual(['expires_at', 'id', 'input_file_id', 'status', 'user_id']);
});

test('a server that stops leaves the files of a batch to the next one', async () => {
  const source = { path: '', runPaced: async <T>(work: () => T): Promise<T> => work() };
  const written = writeResponses(app.ctx, batch.id, source, AbortSignal.abort());
  await expect(written).rejects.toThrow('aborted');
  expect((await listOpenBatches(app.ctx)).map(({ id }) => id)).toContain(batch.id);
});
