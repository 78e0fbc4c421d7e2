/** Exports the codes of a batch again: as a table for spreadsheets, and for print. */
import { setImmediate } from 'node:timers/promises';
import type { CodeBatchId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { formatCsvLine, formatCsvRows, formatCsvTime, queueExport } from '../../platform/csv.ts';
import { getBatch } from './code-batches.ts';
import { openCode } from './code-text.ts';

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
