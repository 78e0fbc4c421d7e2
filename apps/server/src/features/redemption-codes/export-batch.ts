/** A batch as a table for spreadsheets: its codes, and what became of each. */
import { setImmediate } from 'node:timers/promises';
import type { CodeBatchId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { csvLine, oneExportAtATime } from '../../platform/csv.ts';
import { getBatch } from './batches.ts';
import { openCode } from './stored-codes.ts';

const OPENED_AT_ONCE = 500;

/**
 * Times are UTC.
 * @throws AppError `not-found`, or `too-many-requests` while another export runs
 */
export async function exportBatch(ctx: Context, id: CodeBatchId): Promise<string> {
  const { name, quota, expires_time } = await getBatch(ctx, id);
  return oneExportAtATime(ctx, async () => {
    const rows = await ctx.db.reader
      .selectFrom('redemption_code')
      .leftJoin('user', 'user.id', 'redemption_code.redeemed_by')
      .select([
        'redemption_code.id',
        'code_hash',
        'code_sealed',
        'redemption_code.status',
        'redeemed_time',
        'username',
      ])
      .where('batch_id', '=', id)
      .orderBy('redemption_code.id')
      .execute();
    const lines = [csvLine(['id', 'name', 'code', 'quota', 'status', 'expires', 'redeemed', 'redeemed_by'])];
    for (const [index, row] of rows.entries()) {
      // Opening thousands takes half a second, in which others are served.
      if (index % OPENED_AT_ONCE === 0) await setImmediate();
      lines.push(
        csvLine([
          row.id,
          name,
          openCode(ctx, row),
          quota,
          row.status,
          timeOf(expires_time),
          timeOf(row.redeemed_time),
          row.username ?? '',
        ]),
      );
    }
    return lines.join('');
  });
}

const timeOf = (seconds: number): string => (seconds === 0 ? '' : new Date(seconds * 1000).toISOString());
