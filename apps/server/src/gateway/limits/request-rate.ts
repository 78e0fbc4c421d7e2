/**
 * Limits requests per minute. Limits below 60 use a fixed window of one minute, so that "3 per minute" means three;
 * others use a token bucket with ten seconds of burst.
 */

import type { Clock } from '../../platform/clock.ts';
import { formatRetryAdvice } from '../../platform/http/app-error.ts';
import { type Bucket, createBuckets } from '../../platform/limits/buckets.ts';
import { type BucketRequest, unsharedLimits } from '../../platform/limits/shared-limits.ts';
import type { RateLimitState } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';

const WINDOW_MS = 60_000;
const BURST_SECONDS = 10;

/** Limit on requests, or on language-model tokens. */
export interface RateLimit {
  /** Name of the bucket, which all requests under this limit share. */
  name: string;
  /** 0 for no limit. */
  perMinute: number;
  /** Name in the rate-limit headers. */
  policy: string;
  /** Caller whom the limit holds for, as the subject of the error message. */
  callerLabel: string;
}

export interface RequestRateLimiter {
  /**
   * Counts one request against all limits, or against none if one is reached.
   * @throws RelayError `rate_limit_exceeded` that names the limit and the time to retry
   */
  consume(limits: readonly RateLimit[]): Promise<RateLimitState[]>;
  /** Refunds a request that did not run. */
  refund(limits: readonly RateLimit[]): void;
}

export function createRequestRateLimiter(clock: Clock, shared = unsharedLimits): RequestRateLimiter {
  const buckets = createBuckets(clock, shared);
  return {
    async consume(limits) {
      const active = limits.filter(({ perMinute }) => perMinute > 0);
      const taken = await buckets.consume(active.map((limit) => ({ ...toBucketWant(limit, 1), needed: 1 })));
      const now = clock.elapsed();
      return taken.buckets.map((bucket, index) => {
        const limit = active[index];
        if (limit === undefined) throw new RangeError('A bucket belongs to no limit');
        if (index === taken.insufficientIndex) throw createLimitError(limit, bucket, now);
        return toRateLimitState(limit, bucket, now);
      });
    },
    refund: (limits) =>
      buckets.adjust(limits.filter(({ perMinute }) => perMinute > 0).map((limit) => toBucketWant(limit, -1))),
  };
}

function toBucketWant({ name, perMinute }: RateLimit, taken: number): Omit<BucketRequest, 'needed'> {
  const capacity = bucketCapacity(perMinute);
  return { name: `requests ${name}`, perMinute, isWindow: perMinute < 60, capacity, taken };
}

function bucketCapacity(perMinute: number): number {
  return perMinute < 60 ? perMinute : Math.max(1, (perMinute * BURST_SECONDS) / 60);
}

function resetMs(bucket: Bucket, perMinute: number, now: number): number {
  if (perMinute < 60) return WINDOW_MS - (now - bucket.filledAt);
  return ((bucketCapacity(perMinute) - bucket.tokens) * WINDOW_MS) / perMinute;
}

function waitMs(bucket: Bucket, perMinute: number, now: number): number {
  return perMinute < 60 ? resetMs(bucket, perMinute, now) : ((1 - bucket.tokens) * WINDOW_MS) / perMinute;
}

function toRateLimitState({ policy, perMinute }: RateLimit, bucket: Bucket, now: number): RateLimitState {
  return {
    policy,
    unit: 'requests',
    limit: perMinute,
    remaining: Math.floor(bucket.tokens),
    resetSeconds: Math.ceil(resetMs(bucket, perMinute, now) / 1000),
  };
}

function createLimitError(limit: RateLimit, bucket: Bucket, now: number): RelayError {
  const seconds = Math.max(1, Math.ceil(waitMs(bucket, limit.perMinute, now) / 1000));
  const burst = limit.perMinute < 60 ? '' : `, in bursts of up to ${Math.floor(bucketCapacity(limit.perMinute))}`;
  return new RelayError(
    'rate_limit_exceeded',
    `Rate limit reached: ${limit.callerLabel} may send ${limit.perMinute} requests per minute${burst}. ${formatRetryAdvice(seconds)}`,
    { retryAfterSeconds: seconds, rateLimitState: toRateLimitState(limit, bucket, now) },
  );
}
