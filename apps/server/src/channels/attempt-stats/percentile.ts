import { firstContentBounds } from './table.ts';

/**
 * Milliseconds below which that share of the answers began, as far as classes tell; null without an answer.
 * @param counts of the classes, in their order; the last is open and counts as its lower end
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [at, count] of counts.entries()) {
    const lower = at === 0 ? 0 : (firstContentBounds[at - 1] ?? 0);
    const upper = firstContentBounds[at] ?? lower;
    if (before + count >= share * total && count > 0)
      return Math.round(lower + ((share * total - before) / count) * (upper - lower));
    before += count;
  }
  return firstContentBounds.at(-1) ?? null;
}
