/** Limits of the memory and time that all batches of one user take together. */
import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sleep, systemTimers } from '../platform/clock.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { buildRequestLine, CHAT_PATH } from '../testing/batch-client.ts';
import { setOptions } from '../testing/set-options.ts';
import { type FeatureApp, startFeatureApp } from '../testing/start-feature-app.ts';
import { createFile, filePath, newBatchId } from './batch-files.ts';
import { type Batches, type BatchRelay, type BatchRow, startBatches } from './batches.ts';

let app: FeatureApp;
let batches: Batches | undefined;
/** Holds up what waits for it, until the end of the test at the latest. */
let gate: PromiseWithResolvers<void>;

beforeAll(async () => {
  app = await startFeatureApp([]);
  await setOptions(app.ctx, { BatchRequestsPerUser: '1' });
});
afterAll(() => app.close());
beforeEach(() => {
  gate = Promise.withResolvers();
});
afterEach(async () => {
  gate.resolve();
  await batches?.close();
});

const noVendor = () => Promise.reject(new Error('no vendor runs batches'));
const answer = { status: 200, retryAfterSeconds: 0, body: Buffer.from('{}') };
const busy = { status: 429, retryAfterSeconds: 1, body: Buffer.from('{"error":{"code":"rate_limit_exceeded"}}') };

function start(more: Partial<BatchRelay>): Batches {
  batches = startBatches(app.ctx, {
    sendRequest: async () => answer,
    selectVendor: () => undefined,
    prepareLine: noVendor,
    findAccount: noVendor,
    release: async () => {},
    runPaced: async (_userId, work) => work(),
    ...more,
  });
  return batches;
}

async function submit(running: Batches, userId: number, text: string): Promise<BatchRow> {
  const id = newBatchId('file-');
  const file = await createFile(app.ctx, id);
  await file.write(text);
  await file.close();
  const batch = { user_id: userId, api_key_id: 1, address: '127.0.0.1', endpoint: CHAT_PATH };
  return running.create({ ...batch, input_file_id: id, output_seconds: null, metadata: null }, async () => {});
}

const readBatch = (id: string) =>
  app.ctx.db.writer.selectFrom('batch').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Lets a few seconds pass, and what begins in them. */
async function wait(): Promise<void> {
  for (let second = 0; second < 5; second += 1) {
    app.clock.advance(1);
    await sleep(systemTimers, 20);
  }
}

async function waitUntilCompleted(submitted: readonly BatchRow[]): Promise<void> {
  for (const { id } of submitted)
    await advanceUntil(app.clock, async () => expect((await readBatch(id)).status).toBe('completed'), 1);
}

test('one batch of a user at a time reads its file, and those of others don’t wait for it', async () => {
  const reading: number[] = [];
  const running = start({
    async runPaced(userId, work) {
      reading.push(userId);
      await gate.promise;
      return work();
    },
  });
  const [mine, theirs] = [(await app.createUser('user')).id, (await app.createUser('user')).id];
  const text = JSON.stringify(buildRequestLine('a', { numbers: Array.from({ length: 50_000 }, () => 1) }));
  const submitted: BatchRow[] = [];
  for (const userId of [mine, mine, mine, theirs]) submitted.push(await submit(running, userId, text));
  await advanceUntil(app.clock, () => expect(new Set(reading)).toEqual(new Set([mine, theirs])), 1);
  await wait();
  expect(reading).toHaveLength(2);
  gate.resolve();
  await waitUntilCompleted(submitted);
});

test('a long line is only read when it is sent, and again for each try', async () => {
  const textOf = (letter: string): string =>
    JSON.stringify(buildRequestLine('a', { messages: [{ role: 'user', content: letter.repeat(100_000) }] }));
  const sent: (string | undefined)[] = [];
  const running = start({
    async sendRequest({ input_file_id }, { body }) {
      sent.push(/"content":"(.)/.exec(body.toString())?.[1]);
      if (sent.length === 1) await gate.promise;
      if (sent.length !== 2) return answer;
      writeFileSync(filePath(app.ctx, input_file_id), textOf('d'));
      return busy;
    },
  });
  const { id: userId } = await app.createUser('user');
  const first = await submit(running, userId, textOf('a'));
  await advanceUntil(app.clock, () => expect(sent).toEqual(['a']), 1);
  const second = await submit(running, userId, textOf('b'));
  await advanceUntil(app.clock, async () => expect((await readBatch(second.id)).status).toBe('in_progress'), 1);
  await wait();
  writeFileSync(filePath(app.ctx, second.input_file_id), textOf('c'));
  gate.resolve();
  await waitUntilCompleted([first, second]);
  expect(sent).toEqual(['a', 'c', 'd']);
});
