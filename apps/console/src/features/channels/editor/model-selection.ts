/** Returns the chosen names that the provider does not offer, such as patterns; a selection keeps them. */
export function customNames(offered: readonly string[], chosen: readonly string[]): string[] {
  const known = new Set(offered);
  return chosen.filter((model) => !known.has(model));
}

/** Returns the channel's models after a selection: custom names first, then the provider's in its order. */
export function selectedModels(
  offered: readonly string[],
  chosen: readonly string[],
  picked: ReadonlySet<string>,
): string[] {
  return [...customNames(offered, chosen), ...offered.filter((model) => picked.has(model))];
}

export type BulkPick = 'all' | 'none' | 'invert';

/** Applies a bulk pick to the models that match the search; the others are unchanged. */
export function pickInSight(picked: ReadonlySet<string>, inSight: readonly string[], how: BulkPick): Set<string> {
  const next = new Set(picked);
  for (const model of inSight) {
    const pick = how === 'all' || (how === 'invert' && !picked.has(model));
    if (pick) next.add(model);
    else next.delete(model);
  }
  return next;
}
