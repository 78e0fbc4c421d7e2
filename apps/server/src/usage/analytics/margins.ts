/** Recent revenue and cost of each price, for users who set prices. */

import { toPoints } from '@switchyard/contract/money';
import { MARGIN_DAYS, type PriceMargin } from '@switchyard/contract/usage/analytics';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { rankMargins } from './analytics.ts';

const DAY = 86_400;
/** Maximum models whose margin is computed; those with the highest margin come first. */
const MODELS_MAX = 5_000;

/**
 * Returns the margins by the model or pattern of the price; leaves out prices that were not used or whose calls have no
 * known cost.
 */
export async function readMargins(ctx: Context): Promise<Record<string, PriceMargin>> {
  const rows = await rankMargins(ctx, nowSeconds(ctx.clock) - MARGIN_DAYS * DAY, MODELS_MAX);
  const priceOf = await loadPriceLookup(ctx);
  const sums = new Map<string, PriceMargin>();
  for (const { key, current } of rows) {
    const price = priceOf(key)?.model;
    if (price === undefined || current.cost === null) continue;
    const { costed, cost } = sums.get(price) ?? { costed: 0, cost: 0 };
    sums.set(price, { costed: toPoints(costed + current.costed), cost: toPoints(cost + current.cost) });
  }
  return Object.fromEntries(sums);
}
