import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { sql } from 'kysely';
import { type OpenAI, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import {
  type BatchClient,
  buildRequestLine,
  buildRequestLines,
  CHAT_PATH,
  createBatchClient,
  toJsonl,
} from '../../testing/batch-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;
let mine: BatchClient;
let openai: OpenAI;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ models: ['scripted*', 'fails*', 'tokens*'] });
  mine = createBatchClient(scene.url, scene.key);
  ({ openai } = mine);
});
afterAll(() => scene.close());

const ended = (id: string) =>
  advanceUntil(
    scene.clock,
    async () => {
      const batch = await openai.batches.retrieve(id);
      expect(['completed', 'failed', 'cancelled']).toContain(batch.status);
      return batch;
    },
    1,
  );

describe('a batch of OpenAI’s client', () => {
  test('uploads, runs, retrieves and reads a batch, and charges and records each request at half price', async () => {
    const before = await scene.balance();
    const records = (await scene.records()).length;
    const metadata = { job: 'nightly' };
    const file = await openai.files.create({
      file: await toFile(Buffer.from(toJsonl(['a', 'b', 'c'].map((id) => buildRequestLine(id)))), 'in.jsonl'),
      purpose: 'batch',
    });
    expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'in.jsonl' });
    const created = await openai.batches.create({
      input_file_id: file.id,
      endpoint: CHAT_PATH,
      completion_window: '24h',
      metadata,
    });
    expect(created).toMatchObject({ object: 'batch', status: 'validating', metadata });
    const batch = await ended(created.id);
    expect(batch).toMatchObject({
      status: 'completed',
      model: 'scripted-model',
      request_counts: { total: 3, completed: 3, failed: 0 },
      error_file_id: null,
    });
    const answers = await mine.readLines(batch.output_file_id);
    expect(answers.map(({ custom_id }) => custom_id).toSorted((a, b) => a.localeCompare(b))).toEqual(['a', 'b', 'c']);
    for (const answer of answers)
      expect(answer).toMatchObject({
        error: null,
        response: { status_code: 200, body: { object: 'chat.completion' } },
      });
    await scene.waitUntilSettled();
    const charged = (await scene.records()).slice(records);
    expect(charged.length).toBe(3);
    expect(before - (await scene.balance())).toBe(charged.reduce((sum, { quota }) => sum + quota, 0));
    for (const { detail } of charged)
      expect(JSON.parse(detail)).toMatchObject({ batch: created.id, receipt: { batch_ratio_micros: 500_000 } });
    expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
    const plain = await scene.chat('scripted-model', { messages: [{ role: 'user', content: 'a' }] });
    const full = Number(plain.headers.get('x-switchyard-points'));
    expect(charged[0]?.quota).toBe(Math.ceil(full / 2));
    expect((await openai.batches.list()).data.map(({ id }) => id)).toContain(created.id);
    expect((await openai.files.list({ purpose: 'batch' })).data.map(({ id }) => id)).toContain(file.id);
    expect(await openai.files.delete(file.id)).toMatchObject({ deleted: true });
    await expect(openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  });

  test.each<[string, string, string]>([
    ['no JSON', 'hello', 'invalid_json_line'],
    ['nothing', '\n\n', 'empty_file'],
    ['one name twice', toJsonl([buildRequestLine('a'), buildRequestLine('a')]), 'duplicate_custom_id'],
    ['a stream', toJsonl([buildRequestLine('a', { stream: true })]), 'invalid_parameter'],
    ['another endpoint', toJsonl([buildRequestLine('a', {}, { url: '/v1/embeddings' })]), 'invalid_url'],
    [
      'two models',
      toJsonl([buildRequestLine('a'), buildRequestLine('b', { model: 'scripted-other' })]),
      'mismatched_model',
    ],
  ])('of a file with %s fails before anything is asked', async (_what, text, code) => {
    const requestCount = scene.upstream.requests.length;
    const batch = await ended((await mine.submit(text)).id);
    expect(batch.status).toBe('failed');
    expect(batch.errors?.data?.map((error) => error.code)).toContain(code);
    expect(scene.upstream.requests.length).toBe(requestCount);
  });

  test('reports a revoked key in each line of the batch and charges nothing', async () => {
    const key = await scene.newKey({ unlimited_quota: true, name: 'short-lived' });
    const created = await createBatchClient(scene.url, key).submit(toJsonl(buildRequestLines(40, 'scripted-slow')));
    const keys = scene.user.api(apiKeys);
    const { data } = await keys.list({ query: {} });
    const id = data.find(({ name }) => name === 'short-lived')?.id;
    if (id === undefined) throw new Error('the key is not listed');
    await keys.remove({ params: { id } });
    const batch = await ended(created.id);
    expect(batch.status).toBe('completed');
    const failed = await mine.readLines(batch.error_file_id);
    expect(failed.at(-1)).toMatchObject({ response: { status_code: 401 } });
    expect(JSON.stringify(failed.at(-1))).toContain('The token that created this batch was deleted.');
    expect(batch.request_counts?.total).toBe(40);
    expect((await mine.readLines(batch.output_file_id)).length + failed.length).toBe(40);
  });

  test('rejects a batch beyond the limit of stored batches, also when all have ended', async () => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const theirs = createBatchClient(scene.url, await scene.newKey({ unlimited_quota: true }, owner));
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
      insert into batch (id, user_id, api_key_id, address, endpoint, input_file_id, model, status, total, completed,
        failed, created_at, expires_at, ended_at)
      select 'kept-' || i, ${owner.id}, 1, '', ${CHAT_PATH}, 'f', '', 'cancelled', 0, 0, 0, i, i, i from n`.execute(
      scene.ctx.db.writer,
    );
    await expect(theirs.submit(toJsonl([buildRequestLine('a')]))).rejects.toThrow('limit of 10000 batches');
    await sql`delete from batch where user_id = ${owner.id}`.execute(scene.ctx.db.writer);
    expect((await theirs.submit(toJsonl([buildRequestLine('a')]))).status).toBe('validating');
  });

  test('concurrent requests cannot exceed the limit of stored batches together', async () => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const theirs = createBatchClient(scene.url, await scene.newKey({ unlimited_quota: true }, owner));
    const content = await toFile(Buffer.from(toJsonl([buildRequestLine('a')])), 'in.jsonl');
    const file = await theirs.openai.files.create({ file: content, purpose: 'batch' });
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 9998)
      insert into batch (id, user_id, api_key_id, address, endpoint, input_file_id, model, status, total, completed,
        failed, created_at, expires_at, ended_at)
      select 'full-' || i, ${owner.id}, 1, '', ${CHAT_PATH}, 'f', '', 'cancelled', 0, 0, 0, i, i, i from n`.execute(
      scene.ctx.db.writer,
    );
    const asked = { input_file_id: file.id, endpoint: CHAT_PATH, completion_window: '24h' } as const;
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => theirs.openai.batches.create(asked)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 429 });
    await sql`delete from batch where user_id = ${owner.id}`.execute(scene.ctx.db.writer);
  });

  test('rejects a batch while the files of earlier ones take all room', async () => {
    const owner = await scene.createUser('user', { quota: 1_000_000 });
    const theirs = createBatchClient(scene.url, await scene.newKey({ unlimited_quota: true }, owner));
    const { input_file_id } = await theirs.submit(toJsonl([buildRequestLine('a')]));
    const id = 'file-of-an-earlier-batch';
    const bytes = scene.ctx.settings.batchMegabytesPerUser * 1_048_576;
    await scene.ctx.db.writer
      .insertInto('batch_file')
      .values({ id, user_id: owner.id, purpose: 'batch_output', filename: id, bytes, created_at: 1, expires_at: 4e9 })
      .execute();
    const again = () => theirs.openai.batches.create({ input_file_id, endpoint: CHAT_PATH, completion_window: '24h' });
    await expect(again()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('0 bytes are left') });
    await theirs.openai.files.delete(id);
    expect((await again()).status).toBe('validating');
  });

  test('writes every line of a cancelled batch to one of its files', async () => {
    const count = 60;
    const created = await mine.submit(toJsonl(buildRequestLines(count, 'scripted-model+slow-first-byte-200')));
    // A batch that is cancelled before has no files.
    const status = async () => (await openai.batches.retrieve(created.id)).status;
    await expect.poll(status, { interval: 20 }).toBe('in_progress');
    expect((await openai.batches.cancel(created.id)).status).toBe('cancelling');
    const batch = await ended(created.id);
    expect(batch.status).toBe('cancelled');
    const all = [...(await mine.readLines(batch.output_file_id)), ...(await mine.readLines(batch.error_file_id))];
    expect(new Set(all.map(({ custom_id }) => custom_id)).size).toBe(count);
    expect(all.length).toBe(count);
    expect(all.at(-1)).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
    await expect(openai.batches.cancel(created.id)).rejects.toMatchObject({ status: 400 });
  });

  test('hides a batch and its files from other users', async () => {
    const created = await mine.submit(toJsonl([buildRequestLine('a')]));
    const stranger = createBatchClient(scene.url, await scene.newKey({ unlimited_quota: true }, scene.admin)).openai;
    await expect(stranger.batches.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.batches.cancel(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.files.content(created.input_file_id)).rejects.toMatchObject({ status: 404 });
    await expect(
      stranger.batches.create({ input_file_id: created.input_file_id, endpoint: CHAT_PATH, completion_window: '24h' }),
    ).rejects.toMatchObject({ status: 400, param: 'input_file_id' });
    await ended(created.id);
  });
});

test('files for another purpose need a key that is bound to a channel, and nothing of them stays', async () => {
  const used = (await openai.files.list()).data.length;
  await expect(
    openai.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' }),
  ).rejects.toMatchObject({ status: 400, param: 'purpose' });
  expect((await openai.files.list()).data.length).toBe(used);
});
