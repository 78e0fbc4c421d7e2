/**
 * Buckets from which requests take: of a fixed minute, or filling evenly. What Redis says of one is kept, so that a node
 * that has no answer goes on from there.
 */
import { createBoundedMap } from '../caches.ts';
import type { Clock } from '../clock.ts';
import type { BucketRequest, SharedLimits } from './shared-limits.ts';

const MINUTE_MS = 60_000;
const KEYS_MAX = 100_000;

export interface Bucket {
  tokens: number;
  /** Reading of `clock.elapsed()`, in milliseconds. */
  filledAt: number;
}

export interface ConsumeResult {
  /** Current bucket of each want; if one is lacking, its bucket is the last. */
  buckets: readonly Bucket[];
  /** Index of the want that could not be met, so that nothing was taken. */
  insufficientIndex: number | undefined;
}

export interface Buckets {
  /** Takes all that is wanted, or nothing. */
  consume(wants: readonly BucketRequest[]): Promise<ConsumeResult>;
  /** Takes what is missing, or gives back what is less than nothing, whatever there is. */
  adjust(wants: readonly Omit<BucketRequest, 'needed'>[]): void;
}

export function createBuckets(clock: Clock, shared: SharedLimits): Buckets {
  const buckets = createBoundedMap<string, Bucket>(KEYS_MAX);

  const filled = (want: Omit<BucketRequest, 'needed'>): Bucket => {
    const now = clock.elapsed();
    const bucket = buckets.get(want.name) ?? { tokens: want.capacity, filledAt: now };
    refillBucket(bucket, want, now);
    buckets.set(want.name, bucket);
    return bucket;
  };

  const takeHere = (wants: readonly BucketRequest[]): ConsumeResult => {
    const known: Bucket[] = [];
    for (const [index, want] of wants.entries()) {
      const bucket = filled(want);
      known.push(bucket);
      if (bucket.tokens < want.needed) return { buckets: known, insufficientIndex: index };
    }
    for (const [index, { taken }] of wants.entries()) {
      const bucket = known[index];
      if (bucket !== undefined) bucket.tokens -= taken;
    }
    return { buckets: known, insufficientIndex: undefined };
  };

  return {
    async consume(wants) {
      if (wants.length === 0) return { buckets: [], insufficientIndex: undefined };
      const answer = shared.isUp === true ? await shared.consumeBuckets(wants) : undefined;
      if (answer === undefined) return takeHere(wants);
      const now = clock.elapsed();
      const known = answer.levels.map(({ tokens, ageMs }) => ({ tokens, filledAt: now - ageMs }));
      for (const [index, bucket] of known.entries()) {
        const name = wants[index]?.name;
        if (name !== undefined) buckets.set(name, bucket);
      }
      return { buckets: known, insufficientIndex: answer.insufficientIndex };
    },
    adjust(wants) {
      if (wants.length === 0) return;
      shared.adjustBuckets(wants);
      for (const want of wants) {
        // Of a minute that is over there is nothing to correct.
        if (want.isWindow && !buckets.has(want.name)) continue;
        const bucket = filled(want);
        bucket.tokens = Math.min(want.capacity, bucket.tokens - want.taken);
      }
    },
  };
}

function refillBucket(bucket: Bucket, { isWindow, perMinute, capacity }: Omit<BucketRequest, 'needed'>, now: number) {
  const past = now - bucket.filledAt;
  if (isWindow) {
    if (past < MINUTE_MS) return;
    bucket.tokens = capacity;
  } else bucket.tokens = Math.min(capacity, bucket.tokens + (past * perMinute) / MINUTE_MS);
  bucket.filledAt = now;
}
