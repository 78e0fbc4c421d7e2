/** Repeatable random numbers: the same seed gives the same numbers. */

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Chance = () => number;

/** Sums of a constant, mixed: 32 bits of state are enough for some millions of draws. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** Returns an exponentially distributed time: between random arrivals, or the duration of a response. */
export const exponential = (chance: Chance, mean: number): number => -Math.log(1 - chance()) * mean;

/** Draws 0 … count − 1, the nth with a weight of 1 / (n + 1)^exponent. */
export function createZipf(chance: Chance, count: number, exponent: number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let nth = 0; nth < count; nth += 1) {
    sum += (nth + 1) ** -exponent;
    sums[nth] = sum;
  }
  return () => {
    const wanted = chance() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
