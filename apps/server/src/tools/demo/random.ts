/** Pseudorandom numbers that are the same in every run (mulberry32). */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** Integer, both ends included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[], weightOf?: (item: T) => number): T;
  /** Value around `middle`, with the long tail of sizes and durations. */
  around(middle: number): number;
}

export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    pick(items, weightOf = () => 1) {
      let rest = next() * items.reduce((sum, item) => sum + weightOf(item), 0);
      for (const item of items) {
        rest -= weightOf(item);
        if (rest < 0) return item;
      }
      throw new RangeError('Nothing to pick from');
    },
    around(middle) {
      const normal = next() + next() + next() + next() - 2;
      return Math.max(1, Math.round(middle * Math.exp(normal * 1.1)));
    },
  };
}
