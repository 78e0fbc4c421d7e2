/** Batch input and output files: their rows, and their contents in the data folder, one file each. */
import { randomBytes } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidRequestError } from '@switchyard/relay';
import type { Kysely, Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { type CursorPage, readPageAfter } from '../db/paging.ts';
import { CHUNK_ROWS, pluckIds, runInChunks } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import { createDiskSpaceGuard, DiskFullError, readDiskStats } from '../platform/disk-space.ts';
import type { Schema } from '../schema.ts';
import type { BatchFileTable } from './table.ts';

export type BatchFileRow = Selectable<BatchFileTable>;

export const MEGABYTE = 1_048_576;
/** https://platform.openai.com/docs/api-reference/batch/create */
export const FILE_MAX_BYTES = 200 * MEGABYTE;
/** Maximum number of a user's files, inputs and outputs together; OpenAI's maximum page size. */
const FILES_MAX = 10_000;
const DAY_SECONDS = 86_400;
const FOLDER = 'batch-files';
/** A file without a row may still be in transfer. */
const ORPHAN_AFTER_MS = 3_600_000;

type FileContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings'>;

export function newBatchId(prefix: 'file-' | 'batch_' | 'batch_req_'): string {
  return prefix + randomBytes(16).toString('hex');
}

/** Returns a unique name for a temporary file: another node that has lost the batch may still use its own. */
export function temporaryName(purpose: string): string {
  return `${purpose}-${randomBytes(8).toString('hex')}`;
}

export function filePath({ config }: Pick<Context, 'config'>, id: string): string {
  return join(config.dataDir, FOLDER, id);
}

/**
 * Returns the expiry time of a file, UTC seconds.
 * @param createdAt UTC seconds
 * @param seconds requested lifetime; the settings are the maximum
 */
export function computeFileExpiry(
  { settings }: Pick<FileContext, 'settings'>,
  createdAt: number,
  seconds: number | null,
): number {
  return createdAt + Math.min(settings.batchDays * DAY_SECONDS, seconds ?? Infinity);
}

/** Writer of a new file, piece by piece. */
export interface FileWriter {
  readonly bytes: number;
  write(piece: Buffer | string): Promise<void>;
  /** Durable when it resolves. */
  close(): Promise<void>;
  /** Removes the file, even after `close`. */
  discard(): Promise<void>;
}

/** @throws DiskFullError; so may each write */
export async function createFile(ctx: Pick<Context, 'config'>, id: string, disk = readDiskStats): Promise<FileWriter> {
  const folder = join(ctx.config.dataDir, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(failWrite);
  const handle = await open(filePath(ctx, id), 'wx', 0o600).catch(failWrite);
  const requireRoomFor = createDiskSpaceGuard(folder, disk);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    async write(piece) {
      const whole = Buffer.from(piece);
      requireRoomFor(whole.length);
      for (let written = 0; written < whole.length; )
        written += (await handle.write(whole, written).catch(failWrite)).bytesWritten;
      bytes += whole.length;
    },
    async close() {
      try {
        await handle.sync().catch(failWrite);
      } finally {
        await handle.close();
      }
    },
    async discard() {
      await handle.close();
      await removeFiles(ctx, [id]);
    },
  };
}

function failWrite(error: unknown): never {
  if (!hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) throw error;
  throw new DiskFullError('there is no disk space for a file', { cause: error });
}

function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(error.code);
}

/** Content of a file is missing on this node's disk. */
export class FileMissingError extends Error {}

/** Returns the size of a file in bytes. @throws FileMissingError */
export async function getFileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new FileMissingError('a file is gone', { cause: error }) : error;
  }
}

/** Opens a file. The stream closes it at its end, or when it is destroyed. @throws FileMissingError */
export async function openFile(path: string): Promise<ReadStream> {
  return (await openToRead(path)).createReadStream();
}

/** Reads the bytes from `start`, or fewer at the end of the file. @throws FileMissingError */
export async function readFilePart(path: string, start: number, bytes: number): Promise<Buffer> {
  const file = await openToRead(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new FileMissingError('a file is gone', { cause: error }) : error;
  }
}

export async function removeFiles(ctx: Pick<Context, 'config'>, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(filePath(ctx, id), { force: true });
}

/**
 * Returns the remaining bytes for a user's files. Both sums are read from an index alone, so that a tiny upload
 * doesn't read all rows of its user.
 * @throws InvalidRequestError when the user has `FILES_MAX` files
 */
export async function getRemainingFileBytes(
  db: Kysely<Schema>,
  { settings }: Pick<FileContext, 'settings'>,
  userId: number,
): Promise<number> {
  const { bytes, files } = await db
    .selectFrom('batch_file')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>('bytes'), eb.lit(0)).as('bytes'),
      eb.fn.countAll<number>().as('files'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (files >= FILES_MAX)
    throw new InvalidRequestError(`You have reached the limit of ${FILES_MAX} files. Delete some of them.`, 'file');
  return Math.max(0, settings.batchMegabytesPerUser * MEGABYTE - bytes);
}

/** @returns undefined also for another user's file, and for an expired one */
export function findFile({ db, clock }: FileContext, userId: number, id: string): Promise<BatchFileRow | undefined> {
  return db.writer
    .selectFrom('batch_file')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowSeconds(clock))
    .executeTakeFirst();
}

/**
 * Deletes a file, unless it is the input file of an open batch.
 * @returns whether it was deleted
 */
export async function removeFile(ctx: FileContext, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('batch_file')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('batch')
            .select('batch.id')
            .where('batch.input_file_id', '=', id)
            .where('batch.ended_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await removeFiles(ctx, [id]);
  return true;
}

/** Removes expired files, except those of open batches, and leftovers of a process that died while writing. */
export async function removeExpiredFiles(ctx: FileContext, stopping?: AbortSignal): Promise<void> {
  await runInChunks(
    ctx.db.machine,
    async () => {
      const gone = await ctx.db.writer
        .deleteFrom('batch_file')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('batch_file')
            .select('id')
            .where('expires_at', '<=', nowSeconds(ctx.clock))
            .where('id', 'not in', eb.selectFrom('batch').select('input_file_id').where('ended_at', 'is', null))
            .limit(CHUNK_ROWS),
        )
        .returning('id')
        .execute();
      await removeFiles(ctx, pluckIds(gone));
      return gone.length === CHUNK_ROWS;
    },
    stopping,
  );
  await removeOrphanFiles(ctx, stopping);
}

async function removeOrphanFiles(ctx: FileContext, stopping?: AbortSignal): Promise<void> {
  const folder = join(ctx.config.dataDir, FOLDER);
  const names = await readdir(folder).catch(() => []);
  for (let from = 0; from < names.length; from += CHUNK_ROWS) {
    stopping?.throwIfAborted();
    const some = names.slice(from, from + CHUNK_ROWS);
    const rows = await ctx.db.reader.selectFrom('batch_file').select('id').where('id', 'in', some).execute();
    const known = new Set(pluckIds(rows));
    for (const id of some) if (!known.has(id)) await removeOrphanFile(ctx, id);
  }
}

async function removeOrphanFile(ctx: FileContext, id: string): Promise<void> {
  // A refused upload may have removed its file meanwhile.
  const found = await stat(filePath(ctx, id)).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > ORPHAN_AFTER_MS) await removeFiles(ctx, [id]);
}

/** @param purpose undefined for all. @returns one item more than the limit, if there are more */
export async function listFilePage(
  ctx: FileContext,
  userId: number,
  purpose: BatchFileRow['purpose'] | undefined,
  { after, ...page }: CursorPage,
): Promise<BatchFileRow[]> {
  const last = after === undefined ? undefined : await findFile(ctx, userId, after);
  const files = ctx.db.writer
    .selectFrom('batch_file')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowSeconds(ctx.clock))
    .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? 'batch'));
  return readPageAfter(files, last, page);
}
