/** Names that the vendor does not offer: patterns, own names. A selection never loses them. */
export function customNames(offered: readonly string[], chosen: readonly string[]): string[] {
  const known = new Set(offered);
  return chosen.filter((model) => !known.has(model));
}

/** The channel's models after a selection: own names first, then the vendor's in the vendor's order. */
export function selectedModels(
  offered: readonly string[],
  chosen: readonly string[],
  picked: ReadonlySet<string>,
): string[] {
  return [...customNames(offered, chosen), ...offered.filter((model) => picked.has(model))];
}

export type BulkPick = 'all' | 'none' | 'invert';

/** Applies to the models in sight only; the others stay as they are. */
export function pickInSight(
  picked: ReadonlySet<string>,
  inSight: readonly string[],
  how: BulkPick,
): Set<string> {
  const next = new Set(picked);
  for (const model of inSight) {
    const pick = how === 'all' || (how === 'invert' && !picked.has(model));
    if (pick) next.add(model);
    else next.delete(model);
  }
  return next;
}
