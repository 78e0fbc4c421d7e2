/** Calculation of a charge, stored with its usage record: enough to calculate it again from the record alone. */
import {
  CHARGE_MAX,
  type Charge,
  exactPoints,
  type PriceLine,
  type PriceRule,
  RATIO_ONE,
  type Ratios,
} from '../price-call.ts';
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
