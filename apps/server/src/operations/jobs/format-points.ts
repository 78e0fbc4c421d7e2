import type { Context } from '../../context.ts';

/** Points as people know them here: in dollars, or as they are. */
export function formatPoints({ settings }: Context, points: number): string {
  const { displayInCurrency, quotaPerUnit } = settings;
  return displayInCurrency ? `$${(points / quotaPerUnit).toFixed(2)}` : String(points);
}
