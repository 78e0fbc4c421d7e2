/** Retention of batches: removes expired ones, and those of deleted users. */
import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { matchesAnyKey, pluckIds, processRowsInChunks, selectByteSize } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import { streamPages } from '../platform/stream-pages-and-json.ts';
import type { Schema } from '../schema.ts';
import { removeExpiredFiles } from './batch-files.ts';
import { beginCancel, forEachUnansweredRequest, isBatchOpen } from './batch-store.ts';

const DAY_SECONDS = 86_400;
/** A batch has up to 8 KB of metadata. */
const EXPORT_LIMITS = { size: 100, most: 10_000 };

interface LastBatch {
  created_at: number;
  id: string;
}

/**
 * Removes batches that ended more days ago than the settings keep them, expired files, and lines without a batch.
 * @returns the number of removed batches
 */
export async function removeOldBatches(ctx: Context, stopping?: AbortSignal): Promise<number> {
  const before = nowSeconds(ctx.clock) - ctx.settings.batchDays * DAY_SECONDS;
  const removed = await removeEnded(ctx.db, (batches) => batches.where('ended_at', '<=', before), stopping);
  await removeExpiredFiles(ctx, stopping);
  for await (const id of batchesWithLines(ctx.db)) {
    if (await isBatchOpen(ctx, id)) continue;
    // Releases the holds of lines that were about to be sent to a vendor when their owner was deleted.
    const release = async (requestId: string): Promise<void> => {
      await ctx.ledger.resume(requestId);
      ctx.ledger.release(requestId);
    };
    await forEachUnansweredRequest(ctx, id, release, stopping);
    await removeLines(ctx, id, stopping);
  }
  return removed;
}

/** Deletes the lines of a batch whose responses are in files now, or that no longer exists. */
export async function removeLines({ db }: Pick<Context, 'db'>, id: string, stopping?: AbortSignal): Promise<void> {
  await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('batch_line')
        .select(['batch_id', 'line', selectByteSize('output')])
        .where('batch_id', '=', id),
    (trx, lines) =>
      trx
        .deleteFrom('batch_line')
        .where(matchesAnyKey(['batch_id', 'line'], lines))
        .execute(),
    stopping,
  );
  await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('batch_line_piece')
        .select(['batch_id', 'request_id', 'piece', selectByteSize('content')])
        .where('batch_id', '=', id),
    (trx, pieces) =>
      trx
        .deleteFrom('batch_line_piece')
        .where(matchesAnyKey(['batch_id', 'request_id', 'piece'], pieces))
        .execute(),
    stopping,
  );
}

/** Yields the batches that have lines, each by an index lookup after the previous one. */
async function* batchesWithLines({ reader }: Pick<Context['db'], 'reader'>): AsyncGenerator<string> {
  for (const table of ['batch_line', 'batch_line_piece'] as const) yield* batchesIn(reader, table);
}

async function* batchesIn(
  reader: Context['db']['reader'],
  table: 'batch_line' | 'batch_line_piece',
): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next = await reader
      .selectFrom(table)
      .select('batch_id')
      .where('batch_id', '>', last)
      .orderBy('batch_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return;
    yield next.batch_id;
    last = next.batch_id;
  }
}

type Batches = SelectQueryBuilder<Schema, 'batch', object>;

function removeEnded(db: Context['db'], which: (batches: Batches) => Batches, stopping?: AbortSignal): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => which(trx.selectFrom('batch').where('ended_at', 'is not', null)).select('id'),
    (trx, batches) => trx.deleteFrom('batch').where('id', 'in', pluckIds(batches)).execute(),
    stopping,
  );
}

/**
 * Removes the ended batches and the files of a user whose account is being deleted, before `removeUserBatches`
 * removes the rest.
 */
export async function removeUserEndedBatches({ db }: Pick<Context, 'db'>, userId: number): Promise<void> {
  await removeEnded(db, (batches) => batches.where('user_id', '=', userId));
  await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('batch_file')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', 'not in', (eb) => eb.selectFrom('batch').select('input_file_id').where('user_id', '=', userId)),
    (trx, files) => trx.deleteFrom('batch_file').where('id', 'in', pluckIds(files)).execute(),
  );
}

/**
 * Cancels the batches of a user that run at a provider, and refuses the deletion of the account meanwhile: only an
 * existing account is charged for their responses.
 * @throws AppError `batch-running`
 */
export async function cancelVendorBatches(ctx: Pick<Context, 'db' | 'clock'>, userId: number): Promise<void> {
  const running = await vendorBatchesOf(ctx.db.writer, userId).execute();
  for (const { id } of running) await beginCancel(ctx, userId, id);
  if (running.length > 0) throw batchRunningError();
}

/**
 * Removes the batches of a deleted user. Running ones fail with the keys; files and responses go with the next
 * `removeOldBatches`.
 * @throws AppError `batch-running` for a batch that was sent to a provider meanwhile
 */
export async function removeUserBatches(trx: Transaction<Schema>, userId: number): Promise<void> {
  if ((await vendorBatchesOf(trx, userId).executeTakeFirst()) !== undefined) throw batchRunningError();
  await trx.deleteFrom('batch').where('user_id', '=', userId).execute();
  await trx.deleteFrom('batch_file').where('user_id', '=', userId).execute();
}

const vendorBatchesOf = (db: Kysely<Schema>, userId: number) =>
  db
    .selectFrom('batch')
    .select('id')
    .where('user_id', '=', userId)
    .where('channel_id', 'is not', null)
    .where('ended_at', 'is', null);

const batchRunningError = (): AppError =>
  new AppError(
    'batch-running',
    'A batch of this account is still running at its provider, and is being canceled. Delete the account when it has ended.',
  );

/** Yields a user's stored batches for a data export, newest first. */
export function exportBatches({ db }: Pick<Context, 'db'>, userId: number) {
  return streamPages(EXPORT_LIMITS, (last: LastBatch | undefined, size) => {
    let query = db.reader
      .selectFrom('batch')
      .select(['id', 'endpoint', 'model', 'status', 'metadata', 'total', 'completed', 'failed', 'created_at'])
      .where('user_id', '=', userId);
    if (last !== undefined)
      query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(last.created_at, last.id)));
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).execute();
  });
}

/** Yields a user's stored batch files for a data export, newest first. */
export function exportBatchFiles({ db }: Pick<Context, 'db'>, userId: number) {
  return streamPages(EXPORT_LIMITS, (last: LastBatch | undefined, size) => {
    let query = db.reader
      .selectFrom('batch_file')
      .select(['id', 'purpose', 'filename', 'bytes', 'created_at', 'expires_at'])
      .where('user_id', '=', userId);
    if (last !== undefined)
      query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(last.created_at, last.id)));
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).execute();
  });
}
