/**
 * Rate-limit buckets: a fixed window of a minute, or an evenly refilled bucket. Redis' levels are cached, so that a
 * node without a response continues from them.
 */
import { createBoundedMap } from '../caches.ts';
import type { Clock } from '../clock.ts';
import type { BucketRequest, SharedLimits } from './shared-limits.ts';

const MINUTE_MS = 60_000;
const KEYS_MAX = 100_000;

export interface Bucket {
  tokens: number;
  /** `clock.elapsed()` in milliseconds. */
  filledAt: number;
}

export interface ConsumeResult {
  /** Current bucket of each request; an insufficient one is the last. */
  buckets: readonly Bucket[];
  /** Index of the insufficient bucket; then nothing was taken. */
  insufficientIndex: number | undefined;
}

export interface Buckets {
  /** Takes from all buckets, or from none. */
  consume(wants: readonly BucketRequest[]): Promise<ConsumeResult>;
  /** Applies a correction, positive or negative, regardless of the current level. */
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
        // An expired window needs no correction.
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
