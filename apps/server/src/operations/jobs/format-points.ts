import type { Context } from '../../context.ts';

/** Formats points as the site shows them: in dollars, or as a number. */
export function formatPoints({ settings }: Context, points: number): string {
  const { displayInCurrency, quotaPerUnit } = settings;
  return displayInCurrency ? `$${(points / quotaPerUnit).toFixed(2)}` : String(points);
}
