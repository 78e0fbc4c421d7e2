/** Calculates every stored receipt again and compares it with what was charged. Reports, never repairs. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { UsageDetail } from '../budgets/usage-detail.ts';
import { recomputeCharge } from './receipt.ts';

const BATCH = 5_000;

/** Reads the records from the oldest to the newest; one sentence for each that does not add up. */
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

/** Points; undefined where there is no receipt. What was damaged must not hide what else is wrong. */
function recomputeFromDetail(detail: string): number | 'unreadable' | undefined {
  try {
    const { receipt } = JSON.parse(detail) as UsageDetail;
    return receipt && recomputeCharge(receipt);
  } catch {
    return 'unreadable';
  }
}
