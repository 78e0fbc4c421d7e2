/** Compares two lists of durations by the Mann–Whitney U test, which assumes no distribution. */
export function compareTimes(
  first: readonly number[],
  second: readonly number[],
): { /** Two-sided. */ p: number; medians: [number, number] } {
  const all = [...first.map((time) => ({ time, isFirst: true })), ...second.map((time) => ({ time, isFirst: false }))];
  all.sort((a, b) => a.time - b.time);
  // Durations at the clock's resolution are rarely equal, so that ties need no correction.
  const rankSum = all.reduce((sum, { isFirst }, index) => sum + (isFirst ? index + 1 : 0), 0);
  const [n, m] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const z = (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return { p: 2 * (1 - normalTail(Math.abs(z))), medians: [median(first), median(second)] };
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Share of a normal distribution below `z`; Abramowitz and Stegun 26.2.17, exact to 7.5e-8. */
function normalTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce(
    (sum, coefficient) => (sum + coefficient) * t,
    0,
  );
  return 1 - (Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}
