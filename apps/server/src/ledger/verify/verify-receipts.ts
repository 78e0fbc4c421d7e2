/** Calculates every stored receipt again and compares it with what was charged. Reports, never repairs. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { UsageDetail } from '../budgets/usage-detail.ts';
import {
  CHARGE_MAX,
  type Charge,
  exactPoints,
  type PriceLine,
  type PriceRule,
  RATIO_ONE,
  type Ratios,
} from '../price.ts';

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

/** A charge as its usage record keeps it for ever: enough to calculate it again from the record alone. */

/** Fields that came later are absent in old records. */
export interface Receipt {
  price_type: PriceRule['type'];
  price_model: string;
  price_version?: number;
  tier_above?: number;
  /** The group's, in millionths. */
  ratio_micros: number;
  /** The key's; absent when it is one. */
  key_ratio_micros?: number;
  /** Ratio for a request of a batch, in millionths; absent for others. */
  batch_ratio_micros?: number;
  /** Rounding of lines × ratios to whole points. */
  rounding?: 'up';
  capped?: true;
  lines: readonly PriceLine[];
}

export function createReceipt(rule: PriceRule, ratios: Ratios, { lines, tierAbove, capped }: Charge): Receipt {
  return {
    price_type: rule.type,
    price_model: rule.model,
    price_version: rule.version,
    ...(tierAbove === undefined ? {} : { tier_above: tierAbove }),
    ratio_micros: ratios.group,
    ...(ratios.key === RATIO_ONE ? {} : { key_ratio_micros: ratios.key }),
    ...(ratios.batch === undefined ? {} : { batch_ratio_micros: ratios.batch }),
    rounding: 'up',
    ...(capped ? { capped } : {}),
    lines,
  };
}

/** The charge in points that a receipt gives. */
export function recomputeCharge(receipt: Receipt): number {
  const { lines, ratio_micros, key_ratio_micros = RATIO_ONE, batch_ratio_micros = RATIO_ONE } = receipt;
  const ratios = { group: ratio_micros, key: key_ratio_micros, batch: batch_ratio_micros };
  const points = exactPoints(lines, ratios);
  return receipt.capped === true ? Math.min(points, CHARGE_MAX) : points;
}
