/** Longer names come from clients only, and would fill the memory. */
const NAME_MAX = 200;

/** Caches a function of names, of which requests repeat few. @param entriesMax number of results in memory */
export function cacheByName<T>(find: (name: string) => T, entriesMax = 1_000): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const found = find(name);
    if (name.length > NAME_MAX) return found;
    if (known.size >= entriesMax) known.clear();
    known.set(name, found);
    return found;
  };
}
