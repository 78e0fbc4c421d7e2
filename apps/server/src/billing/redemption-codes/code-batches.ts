/** Batches of redemption codes: codes created together that are alike, and their exports for spreadsheets and print. */
import { setImmediate } from 'node:timers/promises';
import type { CodeBatch, redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { contains, readPage } from '../../db/paging.ts';
import { pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { formatCsvLine, formatCsvRows, formatCsvTime, queueExport } from '../../platform/csv-export.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { omitUndefinedFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import { openCode } from './code-text-and-hash.ts';
import { checkInFuture } from './create-batch.ts';

type ListFilter = RouteInput<(typeof redemptionCodes)['listBatches']>['query'];
type UpdateBatch = RouteInput<(typeof redemptionCodes)['updateBatch']>['body'];

const columns = {
  id: 'code_batch.id',
  name: 'code_batch.name',
  quota: 'code_batch.quota',
  count: 'code_batch.count',
  created_time: 'code_batch.created_time',
  expires_time: 'code_batch.expires_time',
};

export function listBatches(ctx: Context, filter: ListFilter): Promise<Page<CodeBatch>> {
  let query = selectBatches(ctx.db.reader);
  if (filter.keyword !== undefined) query = query.where(contains('code_batch.name', filter.keyword));
  return readPage(query, filter, { columns, fallback: '-id', tieBreak: 'code_batch.id', present });
}

/** @throws AppError `not-found`, also for a deleted one */
export async function getBatch(ctx: Context, id: CodeBatchId): Promise<CodeBatch> {
  const row = await selectBatches(ctx.db.writer).where('code_batch.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('batch', id);
  return present(row);
}

/** @throws AppError `not-found`, or `invalid-input` for a time in the past */
export async function updateBatch(ctx: Context, { id, enabled, ...same }: UpdateBatch): Promise<CodeBatch> {
  const before = await getBatch(ctx, id);
  if (same.expires_time !== undefined && same.expires_time !== before.expires_time)
    checkInFuture(ctx, same.expires_time);
  const changes = omitUndefinedFields({ ...same, enabled: enabled === undefined ? undefined : Number(enabled) });
  if (Object.keys(changes).length > 0)
    await ctx.db.writer.updateTable('code_batch').set(changes).where('id', '=', id).execute();
  return getBatch(ctx, id);
}

/**
 * Removes the codes first and then their batch, so that an interrupted removal can be repeated. Used codes stay.
 * @returns the number of removed codes. @throws AppError `not-found`
 */
export async function removeBatch(ctx: Context, id: CodeBatchId): Promise<number> {
  await getBatch(ctx, id);
  const removed = await processRowsInChunks(
    ctx.db,
    (trx) => trx.selectFrom('redemption_code').select('id').where('batch_id', '=', id).where('status', '<>', 'used'),
    (trx, codes) => trx.deleteFrom('redemption_code').where('id', 'in', pluckIds(codes)).execute(),
  );
  await ctx.db.writer
    .updateTable('code_batch')
    .set({ deleted_time: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .execute();
  return removed;
}

/** Selects batches with two sums each, by the index of their codes. */
function selectBatches(db: Kysely<Schema>) {
  return db
    .selectFrom('code_batch')
    .leftJoin('user', 'user.id', 'code_batch.created_by')
    .where('code_batch.deleted_time', 'is', null)
    .selectAll('code_batch')
    .select('user.username')
    .select(
      sql<number>`(select count(*) from redemption_code c where c.batch_id = code_batch.id and status = 'used')`.as(
        'used',
      ),
    )
    .select(
      sql<number>`(select count(*) from redemption_code c where c.batch_id = code_batch.id and status <> 'used')`.as(
        'unused',
      ),
    );
}

type BatchRow = Awaited<ReturnType<ReturnType<typeof selectBatches>['executeTakeFirstOrThrow']>>;

function present(row: BatchRow): CodeBatch {
  const { username, deleted_time: _, ...same } = row;
  return {
    ...same,
    id: row.id as CodeBatchId,
    quota: toPoints(row.quota),
    enabled: row.enabled === 1,
    created_by: username ?? '',
  };
}

const OPENED_PER_TICK = 500;

/**
 * Exports all codes and their states as CSV. Times are UTC.
 * @throws AppError `not-found`, or `too-many-requests` while another export of the user runs
 */
export async function exportBatch(ctx: Context, id: CodeBatchId): Promise<string> {
  const { name, quota, expires_time } = await getBatch(ctx, id);
  const head = formatCsvLine(['id', 'name', 'code', 'quota', 'status', 'expires', 'redeemed', 'redeemed_by']);
  return queueExport(ctx, async () => {
    const codes = await openBatchCodes(ctx, id);
    const lines = await formatCsvRows(codes, (code) => [
      code.id,
      name,
      code.text,
      quota,
      code.status,
      formatCsvTime(expires_time),
      formatCsvTime(code.redeemed_time),
      code.username ?? '',
    ]);
    return head + lines;
  });
}

/** @throws AppError `not-found`, or `too-many-requests` while another export of the user runs */
export async function listUnusedCodes(ctx: Context, id: CodeBatchId): Promise<string[]> {
  await getBatch(ctx, id);
  return queueExport(ctx, async () => {
    const codes = await openBatchCodes(ctx, id);
    return codes.filter(({ status }) => status === 'enabled').map(({ text }) => text);
  });
}

async function openBatchCodes(ctx: Context, id: CodeBatchId) {
  const rows = await ctx.db.reader
    .selectFrom('redemption_code')
    .leftJoin('user', 'user.id', 'redemption_code.redeemed_by')
    .select(['redemption_code.id', 'code_hash', 'code_sealed', 'redemption_code.status', 'redeemed_time', 'username'])
    .where('batch_id', '=', id)
    .orderBy('redemption_code.id')
    .execute();
  const opened: ((typeof rows)[number] & { text: string })[] = [];
  for (const [index, row] of rows.entries()) {
    // Opening thousands takes half a second, in which other requests must be served.
    if (index % OPENED_PER_TICK === 0) await setImmediate();
    opened.push({ ...row, text: openCode(ctx, row) });
  }
  return opened;
}
