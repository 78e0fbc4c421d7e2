/**
 * Finds the entry of a list that applies to a model: its own, else the longest `prefix*`. A lookup costs one map
 * access per distinct prefix length, however long the list is.
 */
export function createNameLookup<T extends { model: string }>(entries: readonly T[]): (model: string) => T | undefined {
  const exact = new Map(entries.map((entry) => [entry.model, entry]));
  const lengths = new Set(entries.filter(({ model }) => model.endsWith('*')).map(({ model }) => model.length - 1));
  const longestFirst = [...lengths].toSorted((a, b) => b - a);
  return (model) => {
    const own = exact.get(model);
    if (own !== undefined) return own;
    for (const length of longestFirst) {
      const entry = length <= model.length ? exact.get(`${model.slice(0, length)}*`) : undefined;
      if (entry !== undefined) return entry;
    }
    return undefined;
  };
}
