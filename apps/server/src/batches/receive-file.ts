/**
 * Receives an uploaded file and writes it as it arrives. https://platform.openai.com/docs/api-reference/files/create
 */
import { formBoundary, InvalidRequestError } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { type ReadDiskStats, readDiskStats } from '../platform/disk-space.ts';
import {
  type BatchFileRow,
  computeFileExpiry,
  createFile,
  FILE_MAX_BYTES,
  getRemainingFileBytes,
  newBatchId,
  removeFiles,
} from './batch-files.ts';
import { readFormParts, readPartText } from './stream-multipart-form.ts';

export interface Upload {
  userId: number;
  apiKeyId: number | null;
  contentType: string;
  body: AsyncIterator<Buffer>;
  /** @param maxBytes remaining room */
  tooLarge: (maxBytes: number) => Error;
}

type ReceiveContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings'>;

const FIELD_MAX_BYTES = 1_000;
const NAME_MAX = 255;
const EXPIRY_MIN_SECONDS = 3_600;
const EXPIRY_MAX_SECONDS = 2_592_000;

/**
 * Stores an upload; durable when it resolves. @throws InvalidRequestError, DiskFullError, or the error of `tooLarge`; nothing
 * is stored then
 */
export async function receiveFile(ctx: ReceiveContext, upload: Upload, disk = readDiskStats): Promise<BatchFileRow> {
  const boundary = formBoundary(upload.contentType);
  if (boundary === undefined)
    throw new InvalidRequestError('Send the file as a form, with the header "content-type: multipart/form-data".');
  const id = newBatchId('file-');
  try {
    const row = await receive(ctx, { ...upload, boundary, id, disk });
    await insertWithinRoom(ctx, row, upload);
    return row;
  } catch (error) {
    await removeFiles(ctx, [id]);
    // While an iterator holds the body, the server cannot drain it, and the connection accepts no further request.
    await upload.body.return?.();
    throw error;
  }
}

interface ArrivingUpload extends Upload {
  boundary: string;
  id: string;
  disk: ReadDiskStats;
}

async function receive(ctx: ReceiveContext, { boundary, id, disk, ...upload }: ArrivingUpload): Promise<BatchFileRow> {
  const maxBytes = Math.min(FILE_MAX_BYTES, await getRemainingFileBytes(ctx.db.writer, ctx, upload.userId));
  const fields = new Map<string, string>();
  let file: Pick<BatchFileRow, 'filename' | 'bytes'> | undefined;
  for await (const { name, filename, content } of readFormParts(upload.body, boundary)) {
    if (fields.has(name) || (name === 'file' && file !== undefined))
      throw new InvalidRequestError(
        'The form contains this field more than once. Send it once.',
        name.slice(0, NAME_MAX),
      );
    if (name !== 'file') {
      fields.set(name, await readPartText(content, FIELD_MAX_BYTES));
      continue;
    }
    const written = await createFile(ctx, id, disk);
    try {
      for await (const piece of content) {
        if (written.bytes + piece.length > maxBytes) throw upload.tooLarge(maxBytes);
        await written.write(piece);
      }
      await written.close();
    } catch (error) {
      await written.discard();
      throw error;
    }
    file = { filename: (filename ?? '').slice(0, NAME_MAX), bytes: written.bytes };
  }
  if (file === undefined) throw new InvalidRequestError('The form has no file.', 'file');
  checkPurpose(fields.get('purpose'));
  const now = nowSeconds(ctx.clock);
  return {
    id,
    user_id: upload.userId,
    api_key_id: upload.apiKeyId,
    purpose: 'batch',
    ...file,
    created_at: now,
    expires_at: computeFileExpiry(ctx, now, parseExpiryField(fields)),
  };
}

function checkPurpose(purpose: string | undefined): void {
  if (purpose === 'batch') return;
  throw new InvalidRequestError(
    'This gateway stores files for batches only: purpose must be "batch". For other files, an administrator must name a channel after the key: KEY#id.',
    'purpose',
  );
}

function parseExpiryField(fields: ReadonlyMap<string, string>): number | null {
  const anchor = fields.get('expires_after[anchor]');
  const seconds = fields.get('expires_after[seconds]');
  if (anchor === undefined && seconds === undefined) return null;
  return parseExpiresAfter({ anchor, seconds: Number(seconds) }, 'expires_after');
}

/** @throws InvalidRequestError */
export function parseExpiresAfter({ anchor, seconds }: Record<string, unknown>, param: string): number {
  if (
    anchor === 'created_at' &&
    typeof seconds === 'number' &&
    Number.isSafeInteger(seconds) &&
    seconds >= EXPIRY_MIN_SECONDS &&
    seconds <= EXPIRY_MAX_SECONDS
  )
    return seconds;
  throw new InvalidRequestError(
    `${param} must have the anchor "created_at" and ${EXPIRY_MIN_SECONDS} to ${EXPIRY_MAX_SECONDS} seconds.`,
    param,
  );
}

/** Checks the room again within the transaction, because concurrent uploads may each have found room. */
async function insertWithinRoom(ctx: ReceiveContext, row: BatchFileRow, { tooLarge }: Upload): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const room = await getRemainingFileBytes(trx, ctx, row.user_id);
    if (row.bytes > room) throw tooLarge(room);
    await trx.insertInto('batch_file').values(row).execute();
  });
}
