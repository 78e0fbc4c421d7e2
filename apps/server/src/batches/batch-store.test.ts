import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';
import {
  type BatchRow,
  insertBatch,
  isLineAnswered,
  recordLineRequest,
  recordValidated,
  storeLineResponse,
} from './batch-store.ts';

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
