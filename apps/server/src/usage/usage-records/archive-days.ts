/**
 * Archives days of records before their deletion, each as compressed JSON lines in an object of the artifact bucket.
 */

import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { Selectable } from 'kysely';
import { BucketError, createBucketStore, getBucketUrl } from '../../artifacts/artifacts.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import { DAY_SECONDS, getDayStart } from './day-rollups.ts';

const ROWS_PER_PAGE = 2_000;
/** Gzip ends with the checksum and the length of the content. https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1 */
const TRAILER_BYTES = 8;
/** Timeout for writing a whole day, in milliseconds. */
const WRITE_MS = 30 * 60_000;

type Row = Selectable<Schema['usage_record']>;

/**
 * Archives all days before `before` that have records. A day with records deleted since its last archive becomes an
 * additional object, so that no object is overwritten.
 * @throws AppError `upstream-failed` if an object cannot be written and read back, or the job stops; later days are not
 * tried
 */
export async function archiveDays(ctx: Context, before: number, stopping?: AbortSignal): Promise<void> {
  const store = createBucketStore(ctx, getBucketUrl(ctx));
  for (let first = await findFirstRecord(ctx, 0, before); first !== undefined; ) {
    const day = getDayStart(first.created_at);
    const name = `records/${new Date(day * 1000).toISOString().slice(0, 10)}-${first.id}.jsonl.gz`;
    const end = Math.min(day + DAY_SECONDS, before);
    const pieces = createGzip();
    // The consumer of the stream receives read errors.
    pipeline(Readable.from(streamLines(ctx, first, end)), pieces, () => {});
    const signals = [AbortSignal.timeout(WRITE_MS), ...(stopping === undefined ? [] : [stopping])];
    await writeAndReadBack(store, name, pieces, AbortSignal.any(signals)).catch(throwBucketError);
    ctx.log.info({ object: name }, 'archived the records of a day');
    first = await findFirstRecord(ctx, end, before);
  }
}

/**
 * Writes an archive, and reads its end back before its records are deleted: a bucket may confirm what it does not
 * keep. @throws BucketError
 */
async function writeAndReadBack(
  store: ReturnType<typeof createBucketStore>,
  name: string,
  pieces: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  let end: Buffer = Buffer.alloc(0);
  async function* watchEnd(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      bytes += piece.length;
      end = Buffer.concat([end, piece]).subarray(-TRAILER_BYTES);
      yield piece;
    }
  }
  await store.write(name, watchEnd(), 'application/gzip', signal);
  const stored = await store.read(name, { from: bytes - end.length, to: bytes - 1 }, signal);
  if (!(await buffer(stored)).equals(end)) throw new BucketError('The bucket returned different data than was written');
}

function throwBucketError(error: unknown): never {
  if (!(error instanceof BucketError)) throw error;
  throw new AppError('upstream-failed', error.message, { cause: error });
}

function selectCalls({ db }: Pick<Context, 'db'>, from: number, to: number) {
  return db.reader
    .selectFrom('usage_record')
    .where('type', 'in', ['consume', 'error'])
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
}

function findFirstRecord(ctx: Context, from: number, to: number): Promise<Pick<Row, 'id' | 'created_at'> | undefined> {
  return selectCalls(ctx, from, to)
    .select(['id', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

async function* streamLines(ctx: Context, first: Pick<Row, 'id' | 'created_at'>, end: number) {
  let last: Pick<Row, 'id' | 'created_at'> = { created_at: first.created_at, id: first.id - 1 };
  for (;;) {
    const { created_at, id } = last;
    const rows = await selectCalls(ctx, created_at, end)
      .selectAll()
      .where((eb) => eb.or([eb('created_at', '>', created_at), eb('id', '>', id)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(ROWS_PER_PAGE)
      .execute();
    for (const { detail, ...row } of rows)
      yield `${JSON.stringify({ ...row, detail: JSON.parse(detail) as unknown })}\n`;
    const newest = rows.at(-1);
    if (newest === undefined || rows.length < ROWS_PER_PAGE) return;
    last = newest;
  }
}
