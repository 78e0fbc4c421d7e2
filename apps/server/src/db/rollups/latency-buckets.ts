/**
 * Milliseconds as counts in classes that are 10 % wide, so that percentiles of any stretch can be told from sums: the
 * middle of a class is at most 5 % from whatever is in it.
 */
const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);
/** The last one is for what took longer than three hours. */
export const LATENCY_BUCKETS = 172;

/** @param ms whole milliseconds, not negative */
export function getLatencyBucket(ms: number): number {
  return ms < 1 ? 0 : Math.min(LATENCY_BUCKETS - 1, 1 + Math.floor(Math.log(ms) / LOG_GROWTH));
}

/**
 * The milliseconds of which a share took no longer, by nearest rank; null where nothing was counted.
 * @param share 0.95 for the 95th percentile
 */
export function estimatePercentile(counts: Uint32Array, share: number): number | null {
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const found = counts.findIndex((count) => (seen += count) >= rank);
  return found === 0 ? 0 : Math.round(GROWTH ** (found - 0.5));
}
