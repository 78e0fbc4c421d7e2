/** Limits of the memory and time that all batches of one user take together. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isObject } from '@switchyard/relay/json';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sleep, systemTimers } from '../platform/clock.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { buildRequestLine, CHAT_PATH, toJsonl } from '../testing/batch-client.ts';
import { measureLongestBlock } from '../testing/measure-longest-block.ts';
import { setOptions } from '../testing/set-options.ts';
import { type FeatureApp, startFeatureApp } from '../testing/start-feature-app.ts';
import { createFile, filePath, newBatchId } from './batch-files.ts';
import { type Batches, type BatchRelay, type BatchRow, startBatches } from './batches.ts';
import { UserConcurrencyLimiter } from './claim-batches.ts';
import { VendorResponses } from './vendor-response-index.ts';

const MB = 1_048_576;
const LARGE_BYTES = 48 * MB;
const LARGE_LINES = 2;
/** A body that was stored at once took more than 500 ms. */
const BLOCK_MAX_MS = 50;
/** Parsing a line took more than 600 ms. */
const VENDOR_BLOCK_MAX_MS = 100;

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

test('a line that is too large for its rate limit is refused at once', async () => {
  let calls = 0;
  const running = start({
    sendRequest() {
      calls += 1;
      return Promise.resolve({ ...busy, status: 413 });
    },
  });
  const { id } = await app.createUser('user');
  await waitUntilCompleted([await submit(running, id, JSON.stringify(buildRequestLine('a')))]);
  expect(calls).toBe(1);
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

/** Tasks that end on command. */
function works(turns: UserConcurrencyLimiter) {
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  return {
    running: () => [...running],
    begin: (userId: number, name: string) =>
      turns.run(userId, () => {
        running.add(name);
        return new Promise<string>((resolve) => {
          ends.set(name, () => {
            running.delete(name);
            resolve(name);
          });
        });
      }),
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('storing a large response', () => {
  const numbers = '-0.0123456,'.repeat(6_000);
  async function* sendVectors(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"data":[{"embedding":[\r\n');
    for (let bytes = 0; bytes < LARGE_BYTES; bytes += numbers.length) {
      await sleep(systemTimers, 0);
      yield Buffer.from(numbers);
    }
    yield Buffer.from('1]}]}');
  }
  async function* sendText(): AsyncGenerator<Buffer> {
    const text = Buffer.from('data: "\u{1f600}é"\n\n'.repeat(100_000));
    for (let at = 0; at < text.length; at += 60_001) yield text.subarray(at, at + 60_001);
  }
  const startWith = (body: { isJson: boolean; status: number }, send: () => AsyncGenerator<Buffer>) =>
    start({
      async sendRequest(_batch, { storeLargeBody }) {
        await storeLargeBody?.({ ...body, pieces: send() });
        return { status: body.status, retryAfterSeconds: 0, body: Buffer.alloc(0) };
      },
    });
  const readOutputPath = async ({ id }: BatchRow): Promise<string> => {
    const { output_file_id, error_file_id } = await readBatch(id);
    return filePath(app.ctx, output_file_id ?? error_file_id ?? '');
  };

  test(`stores, writes and removes lines of ${LARGE_BYTES / MB} MB without blocking others`, async () => {
    const running = startWith({ isJson: true, status: 200 }, sendVectors);
    const { id: userId } = await app.createUser('user');
    const lines = Array.from({ length: LARGE_LINES }, (_, nth) => buildRequestLine(`${nth}`));
    const batch = await submit(running, userId, toJsonl(lines));
    const pieces = app.ctx.db.writer.selectFrom('batch_line_piece').select('piece').limit(1);
    const block = await measureLongestBlock(async () => {
      await waitUntilCompleted([batch]);
      await expect.poll(() => pieces.execute()).toEqual([]);
    });
    const written: { bytes: number; begin: string; end: string }[] = [];
    for await (const line of createInterface(createReadStream(await readOutputPath(batch))))
      written.push({ bytes: line.length, begin: line.slice(0, 200), end: line.slice(-60) });
    expect(written).toHaveLength(LARGE_LINES);
    for (const [nth, { bytes, begin, end }] of written.entries()) {
      expect(bytes).toBeGreaterThan(LARGE_BYTES);
      expect(begin).toContain(`"custom_id":"${nth}","response":{"status_code":200,`);
      expect(begin).toContain('"body":{"data":[{"embedding":[  -0.0123456,');
      expect(end).toMatch(/-0\.0123456,1\]\}\]\}\},"error":null\}$/);
    }
    expect(block).toBeLessThan(BLOCK_MAX_MS);
  });

  test('writes a response that is not JSON as a string', async () => {
    const running = startWith({ isJson: false, status: 500 }, sendText);
    const batch = await submit(running, (await app.createUser('user')).id, JSON.stringify(buildRequestLine('a')));
    await waitUntilCompleted([batch]);
    const line = JSON.parse(readFileSync(await readOutputPath(batch), 'utf8')) as { response: { body: string } };
    expect(line.response.body).toBe('data: "\u{1f600}é"\n\n'.repeat(100_000));
  });
});

test('replaces the pieces of a response that was interrupted by those of the next one', async () => {
  let sent = 0;
  async function* sendPieces(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(3 * MB, `"${sent}`);
    if (sent === 1) throw new Error('the connection was lost');
  }
  const running = start({
    async sendRequest(_batch, { storeLargeBody }) {
      sent += 1;
      await storeLargeBody?.({ isJson: false, status: 200, pieces: sendPieces() });
      return { ...answer, body: Buffer.alloc(0) };
    },
  });
  const batch = await submit(running, (await app.createUser('user')).id, JSON.stringify(buildRequestLine('a')));
  await waitUntilCompleted([batch]);
  const { output_file_id } = await readBatch(batch.id);
  const text = readFileSync(filePath(app.ctx, output_file_id ?? ''), 'utf8');
  const line = JSON.parse(text) as { response: { body: string } };
  expect(line.response.body).toBe('"2'.repeat((3 * MB) / 2));
  expect(sent).toBe(2);
  const pieces = app.ctx.db.writer.selectFrom('batch_line_piece').select('piece').limit(1);
  await expect.poll(() => pieces.execute()).toEqual([]);
});

test(`finds and reads a response of ${LARGE_BYTES / MB} MB in a file of a provider without blocking others`, async () => {
  const body = `{"data":[{"embedding":[${'-0.0123456,'.repeat(LARGE_BYTES / 11)}1]}]}`;
  const line = (name: string, answer: string) =>
    `{"id":"x","custom_id":"${name}","response":{"request_id":"\\"{","status_code":200,"body":${answer}},"error":null}\n`;
  const id = newBatchId('file-');
  const file = await createFile(app.ctx, id);
  await file.write(line('small', '{"a":1}'));
  await file.write(line('large', body));
  await file.write(line('text', `"${'QUJD'.repeat(MB)}"`));
  await file.write(line('unknown', body));
  await file.write(`{"custom_id":"broken","response":{"status_code":200,"body":{"a":"${'QUJD'.repeat(MB)}"}`);
  await file.close();
  const names = ['small', 'large', 'text', 'broken'];
  const answers = new VendorResponses(new Set(names), async (work) => {
    await sleep(systemTimers, 0);
    return work();
  });
  const read: unknown[] = [];
  const block = await measureLongestBlock(async () => {
    await answers.add(filePath(app.ctx, id), new AbortController().signal);
    for (const name of names) read.push((await answers.read(name)) ?? null);
  });
  await expect(answers.add(filePath(app.ctx, id), AbortSignal.abort())).rejects.toThrow('aborted');
  await answers.close();
  const texts = read.map((one) => (isObject(one) && Buffer.isBuffer(one['body']) ? one['body'].toString() : one));
  expect(texts[0]).toBe('{"a":1}');
  expect(texts[1] === body).toBe(true);
  expect(texts[2] === `"${'QUJD'.repeat(MB)}"`).toBe(true);
  expect(texts[3]).toBe(null);
  expect(block).toBeLessThan(VENDOR_BLOCK_MAX_MS);
});

test('runs as many requests of one user at once as allowed, in order, without delaying other users', async () => {
  const { begin, end, running } = works(new UserConcurrencyLimiter(() => 2));
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => begin(1, name)));
  void begin(2, 'other');
  expect(running()).toEqual(['a', 'b', 'other']);
  await end('b');
  expect(running()).toEqual(['a', 'other', 'c']);
  await end('a');
  expect(running()).toEqual(['other', 'c', 'd']);
  await end('c');
  await end('d');
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('a failed task releases its slot for the next', async () => {
  const turns = new UserConcurrencyLimiter(() => 1);
  const failed = turns.run(1, () => Promise.reject(new Error('failed')));
  const next = turns.run(1, () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('a lowered limit applies when enough requests have ended, a raised one to the next request', async () => {
  let most = 3;
  const { begin, end, running } = works(new UserConcurrencyLimiter(() => most));
  for (const name of ['a', 'b', 'c', 'd', 'e']) void begin(1, name);
  most = 1;
  await end('a');
  await end('b');
  expect(running()).toEqual(['c']);
  await end('c');
  expect(running()).toEqual(['d']);
  most = 2;
  void begin(1, 'f');
  expect(running()).toEqual(['d', 'f']);
});
