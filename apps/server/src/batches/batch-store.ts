/** Rows of batches. */
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { type CursorPage, readPageAfter } from '../db/paging.ts';
import { CHUNK_ROWS, runInChunks, selectByteSize, takeChunk } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import { type BatchFileRow, computeFileExpiry, newBatchId } from './batch-files.ts';
import type { BatchStatus, BatchTable } from './table.ts';

export type BatchRow = Selectable<BatchTable>;

type StoreContext = Pick<Context, 'db' | 'clock'>;

export function findBatch({ db }: Pick<StoreContext, 'db'>, userId: number, id: string): Promise<BatchRow | undefined> {
  return db.writer
    .selectFrom('batch')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Columns that decide which node runs a batch. The others hold kilobytes that its owner may choose. */
export type OpenBatch = Pick<BatchRow, 'id' | 'user_id' | 'status' | 'input_file_id' | 'expires_at'>;

/** Lists open batches, oldest first. */
export function listOpenBatches({ db }: Pick<StoreContext, 'db'>): Promise<OpenBatch[]> {
  return db.writer
    .selectFrom('batch')
    .select(['id', 'user_id', 'status', 'input_file_id', 'expires_at'])
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .execute();
}

/** Counts a user's open batches, and all stored ones. */
export function countBatches(db: Kysely<Schema>, userId: number): Promise<{ open: number; kept: number }> {
  return db
    .selectFrom('batch')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('ended_at', 'is', null).as('open'),
      eb.fn.countAll<number>().as('kept'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
}

/** Records the validated content of a batch; starts it unless it was cancelled meanwhile. */
export async function recordValidated(
  { db, clock }: StoreContext,
  id: string,
  { total, model }: Pick<BatchRow, 'total' | 'model'>,
): Promise<void> {
  await db.writer
    .updateTable('batch')
    .set((eb) => ({
      total,
      model,
      in_progress_at: nowSeconds(clock),
      status: eb
        .case()
        .when('status', '=', 'validating')
        .then('in_progress' as BatchStatus)
        .else(eb.ref('status'))
        .end(),
    }))
    .where('id', '=', id)
    .execute();
}

export async function recordInvalid({ db, clock }: StoreContext, id: string, errors: string): Promise<void> {
  await db.writer
    .updateTable('batch')
    .set({ status: 'failed', errors, ended_at: nowSeconds(clock) })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

interface NewLineRequest {
  line: number;
  requestId: string;
  /** Id of the line's previous request; undefined for the first. */
  previousRequestId: string | undefined;
}

/**
 * Stores the request of a line before it is sent, so that it is known after a crash.
 * @returns false when the batch has ended, or another node has requested the line meanwhile
 */
export async function recordLineRequest(
  { db }: Pick<StoreContext, 'db'>,
  id: string,
  { line, requestId, previousRequestId }: NewLineRequest,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db.writer
    .insertInto('batch_line')
    .columns(['batch_id', 'line', 'request_id', 'is_error'])
    .expression((eb) =>
      eb
        .selectFrom('batch')
        .select(['id', eb.val(line).as('line'), eb.val(requestId).as('request_id'), eb.val(0 as const).as('is_error')])
        .where('id', '=', id)
        .where('status', '=', 'in_progress'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['batch_id', 'line'])
        .doUpdateSet({ request_id: requestId })
        .where('batch_line.request_id', '=', previousRequestId ?? '')
        .where('batch_line.output', 'is', null),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns whether a line has its response. */
export async function isLineAnswered({ db }: Pick<StoreContext, 'db'>, id: string, line: number): Promise<boolean> {
  const row = await db.writer
    .selectFrom('batch_line')
    .select('line')
    .where('batch_id', '=', id)
    .where('line', '=', line)
    .where('output', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

type Vendor = Pick<BatchRow, 'channel_id' | 'channel_key_id' | 'group_symbol' | 'vendor_price' | 'upstream_id'>;

/** Records where the batch runs at its vendor, or that it no longer runs there. */
export async function recordVendor(
  { db }: Pick<StoreContext, 'db'>,
  id: string,
  { channel_id, channel_key_id, group_symbol, vendor_price, upstream_id }: Vendor,
): Promise<void> {
  const vendor = { channel_id, channel_key_id, group_symbol, vendor_price, upstream_id };
  await db.writer.updateTable('batch').set(vendor).where('id', '=', id).execute();
}

/** Calls `work` for each line that was requested and has no response, in chunks. */
export async function forEachUnansweredRequest(
  { db }: Pick<StoreContext, 'db'>,
  id: string,
  work: (requestId: string) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  let last = 0;
  const piece = async (): Promise<boolean> => {
    const lines = await db.writer
      .selectFrom('batch_line')
      .select(['line', 'request_id'])
      .where('batch_id', '=', id)
      .where('output', 'is', null)
      .where('line', '>', last)
      .orderBy('line')
      .limit(CHUNK_ROWS)
      .execute();
    for (const { request_id } of lines) await work(request_id);
    last = lines.at(-1)?.line ?? last;
    return lines.length === CHUNK_ROWS;
  };
  await runInChunks(db.machine, piece, stopping);
}

export async function isBatchOpen({ db }: Pick<StoreContext, 'db'>, id: string): Promise<boolean> {
  const query = db.writer.selectFrom('batch').select('id').where('id', '=', id).where('ended_at', 'is', null);
  return (await query.executeTakeFirst()) !== undefined;
}

export interface StoredLineResponse {
  line: number;
  isError: boolean;
  /** JSON line of the output file. */
  output: string | StoredPieces;
}

/** Line that was stored in pieces, under the id of its request. */
export interface StoredPieces {
  piecesOf: string;
}

/** Stores the response of a requested line, once per line. */
export async function storeLineResponse(
  { db }: Pick<StoreContext, 'db'>,
  id: string,
  { line, isError, output }: StoredLineResponse,
): Promise<void> {
  const stored = typeof output === 'string' ? { output } : { output: '', request_id: output.piecesOf };
  await db.writer.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('batch_line')
      .set({ is_error: isError ? 1 : 0, ...stored })
      .where('batch_id', '=', id)
      .where('line', '=', line)
      .where('output', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return;
    const counted = isError ? 'failed' : 'completed';
    await trx
      .updateTable('batch')
      .set((eb) => ({ [counted]: eb(counted, '+', 1) }))
      .where('id', '=', id)
      .execute();
  });
}

export async function hasLineRequests({ db }: Pick<StoreContext, 'db'>, id: string): Promise<boolean> {
  const query = db.writer.selectFrom('batch_line').select('line').where('batch_id', '=', id).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Returns the requested lines of a range, by number: null for a line with a response, else the id of its last request.
 * @param first and `last` are both inclusive
 */
export async function readLineRequests(
  { db }: Pick<StoreContext, 'db'>,
  id: string,
  { first, last }: { first: number; last: number },
): Promise<Map<number, string | null>> {
  const rows = await db.writer
    .selectFrom('batch_line')
    .select(['line', 'request_id', (eb) => eb('output', 'is not', null).as('is_answered')])
    .where('batch_id', '=', id)
    .where('line', '>=', first)
    .where('line', '<=', last)
    .execute();
  return new Map(rows.map(({ line, request_id, is_answered }) => [line, is_answered ? null : request_id]));
}

/**
 * Resolves with the next responses of a batch by line: one, or several that are short together; empty after the last.
 * The output of a long one is empty: its pieces are stored under the id of its request.
 */
export async function listResponsesAfter({ db }: Pick<StoreContext, 'db'>, id: string, line: number) {
  const stored = db.writer
    .selectFrom('batch_line')
    .where('batch_id', '=', id)
    .where('output', 'is not', null)
    .where('line', '>', line)
    .orderBy('line');
  const sizes = await stored
    .select(['line', selectByteSize('output')])
    .limit(CHUNK_ROWS)
    .execute();
  return stored
    .select(['line', 'request_id', 'is_error', 'output'])
    .$narrowType<{ output: string }>()
    .where('line', '<=', takeChunk(sizes).at(-1)?.line ?? line)
    .execute();
}

/** Resolves with undefined when the batch is no longer open. */
export function beginFinalizing({ db, clock }: StoreContext, id: string): Promise<BatchRow | undefined> {
  return db.writer
    .updateTable('batch')
    .set((eb) => ({
      finalizing_at: eb.fn.coalesce('finalizing_at', eb.val(nowSeconds(clock))),
      status: eb
        .case()
        .when('status', '=', 'cancelling')
        .then('cancelling' as BatchStatus)
        .else('finalizing' as BatchStatus)
        .end(),
    }))
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

type ResponseFile = Pick<BatchFileRow, 'id' | 'bytes'> | undefined;

interface BatchEnd extends Pick<BatchRow, 'status' | 'errors' | 'failed'> {
  output: ResponseFile;
  error: ResponseFile;
}

/**
 * Ends a batch and records its output files.
 * @returns false when the batch was removed meanwhile
 */
export function endBatch(
  ctx: Pick<Context, 'db' | 'clock' | 'settings'>,
  batch: BatchRow,
  { status, errors, failed, ...files }: BatchEnd,
): Promise<boolean> {
  const now = nowSeconds(ctx.clock);
  return ctx.db.writer.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('batch')
      .set({
        status,
        errors,
        failed,
        ended_at: now,
        output_file_id: files.output?.id ?? null,
        error_file_id: files.error?.id ?? null,
      })
      .where('id', '=', batch.id)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    for (const kind of ['output', 'error'] as const) {
      const file = files[kind];
      if (file === undefined) continue;
      const row: BatchFileRow = {
        ...file,
        user_id: batch.user_id,
        api_key_id: batch.api_key_id,
        purpose: 'batch_output',
        filename: `${batch.id}_${kind}.jsonl`,
        created_at: now,
        expires_at: computeFileExpiry(ctx, now, batch.output_seconds),
      };
      await trx.insertInto('batch_file').values(row).execute();
    }
    return true;
  });
}

/** @returns undefined when it is no longer running */
export function beginCancel({ db, clock }: StoreContext, userId: number, id: string): Promise<BatchRow | undefined> {
  return db.writer
    .updateTable('batch')
    .set((eb) => ({ status: 'cancelling', cancelling_at: eb.fn.coalesce('cancelling_at', eb.val(nowSeconds(clock))) }))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('status', 'in', ['validating', 'in_progress', 'cancelling'])
    .returningAll()
    .executeTakeFirst();
}

export type NewBatch = Pick<
  BatchRow,
  'user_id' | 'api_key_id' | 'address' | 'endpoint' | 'input_file_id' | 'output_seconds' | 'metadata'
>;

/** 24 hours, the only completion window that OpenAI offers. */
const WINDOW_SECONDS = 86_400;

/** Refuses a new batch by throwing. It reads within the transaction that inserts the batch. */
export type CheckNewBatch = (trx: Transaction<Schema>) => Promise<void>;

/** Inserts a batch. The check is part of its transaction, so that concurrent requests cannot exceed a limit together. */
export function insertBatch({ db, clock }: StoreContext, asked: NewBatch, check: CheckNewBatch): Promise<BatchRow> {
  const now = nowSeconds(clock);
  return db.writer.transaction().execute(async (trx) => {
    await check(trx);
    return trx
      .insertInto('batch')
      .values({
        ...asked,
        id: newBatchId('batch_'),
        model: '',
        status: 'validating',
        total: 0,
        completed: 0,
        failed: 0,
        channel_id: null,
        channel_key_id: null,
        group_symbol: null,
        vendor_price: null,
        upstream_id: null,
        created_at: now,
        expires_at: now + WINDOW_SECONDS,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Lists a user's batches, newest first. @returns one item more than the limit, if there are more */
export async function listBatchPage(
  { db }: Pick<StoreContext, 'db'>,
  userId: number,
  { limit, after }: CursorPage,
): Promise<BatchRow[]> {
  const last = after === undefined ? undefined : await findBatch({ db }, userId, after);
  const batches = db.writer.selectFrom('batch').selectAll().where('user_id', '=', userId);
  return readPageAfter(batches, last, { limit, isAscending: false });
}
