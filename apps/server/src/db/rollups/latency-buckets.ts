/**
 * Counts latencies in buckets that are 10 % wide, so that percentiles of any period can be computed from sums. The
 * middle of a bucket differs by at most 5 % from its values.
 */
const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);
/** Number of buckets. The last one is for more than three hours. */
export const LATENCY_BUCKETS = 172;

/** @param ms whole milliseconds, not negative */
export function getLatencyBucket(ms: number): number {
  return ms < 1 ? 0 : Math.min(LATENCY_BUCKETS - 1, 1 + Math.floor(Math.log(ms) / LOG_GROWTH));
}

/**
 * Returns the percentile in milliseconds by nearest rank; null if no call was counted.
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
