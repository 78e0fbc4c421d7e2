/**
 * Recalculates every stored receipt and compares it with its charge. Reports discrepancies, and never repairs them.
 */

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { UsageDetail } from '../usage-record-detail.ts';
import { recomputeCharge } from './charge-receipt.ts';

const BATCH = 5_000;

/** Reads the records oldest first. @returns one message per discrepancy */
export async function verifyReceipts(db: Kysely<Schema>): Promise<{ receipts: number; problems: string[] }> {
  const problems: string[] = [];
  let receipts = 0;
  let last = 0;
  for (;;) {
    const rows = await db
      .selectFrom('usage_record')
      .select(['id', 'request_id', 'quota', 'detail'])
      .where('id', '>', last)
      .where('type', '=', 'consume')
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { request_id, quota, detail } of rows) {
      const computed = recomputeFromDetail(detail);
      if (computed === undefined) continue;
      receipts += 1;
      if (computed !== quota) problems.push(`receipt of request ${request_id}: charged ${quota}, computed ${computed}`);
    }
    const newest = rows.at(-1);
    if (newest === undefined) return { receipts, problems };
    last = newest.id;
  }
}

/**
 * Returns points; undefined without a receipt. Reports a damaged receipt instead of throwing, so that it doesn't hide
 * other problems.
 */
function recomputeFromDetail(detail: string): number | 'unreadable' | undefined {
  try {
    const { receipt } = JSON.parse(detail) as UsageDetail;
    return receipt && recomputeCharge(receipt);
  } catch {
    return 'unreadable';
  }
}
