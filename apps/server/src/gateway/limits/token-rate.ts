/**
 * Limits language-model tokens per minute with a bucket of one minute's tokens. A request takes its estimate at
 * admission and is corrected at its end, so that the level can be negative.
 */

import type { Clock } from '../../platform/clock.ts';
import { formatRetryAdvice } from '../../platform/http/app-error.ts';
import { type Bucket, createBuckets } from '../../platform/limits/buckets.ts';
import { unsharedLimits } from '../../platform/limits/shared-limits.ts';
import type { RateLimitState } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import type { RateLimit } from './request-rate.ts';

export interface TokenCharge {
  rateLimitStates: RateLimitState[];
  /** Tokens that the request actually used; 0 until they are known. */
  used: number;
  /** Applies the difference between estimate and usage. Must be called once, unless the estimate is to stay. */
  correct(): void;
}

export interface TokenRateLimiter {
  /**
   * Takes an estimate from all limits, or from none if one is reached. Resolves with undefined when there is no
   * limit. A request larger than a limit passes when the bucket is full.
   * @throws RelayError `rate_limit_exceeded`
   */
  consume(limits: readonly RateLimit[], estimate: number): Promise<TokenCharge | undefined>;
}

export function createTokenRateLimiter(clock: Clock, shared = unsharedLimits): TokenRateLimiter {
  const buckets = createBuckets(clock, shared);
  return {
    async consume(limits, estimate) {
      const active = limits.filter(({ perMinute }) => perMinute > 0);
      if (active.length === 0) return undefined;
      const wants = active.map(({ name, perMinute }) => ({
        name: `tokens ${name}`,
        perMinute,
        isWindow: false,
        capacity: perMinute,
        needed: Math.min(estimate, perMinute),
        taken: estimate,
      }));
      const taken = await buckets.consume(wants);
      const charge: TokenCharge = {
        rateLimitStates: taken.buckets.map((bucket, index) => {
          const [limit, want] = [active[index], wants[index]];
          if (limit === undefined || want === undefined) throw new RangeError('A bucket belongs to no limit');
          if (index === taken.insufficientIndex) throw createLimitError(limit, bucket, want.needed);
          return toRateLimitState(limit, bucket);
        }),
        used: 0,
        correct() {
          buckets.adjust(wants.map((want) => ({ ...want, taken: this.used - estimate })));
        },
      };
      return charge;
    },
  };
}

function toRateLimitState({ policy, perMinute }: RateLimit, bucket: Bucket): RateLimitState {
  return {
    policy,
    unit: 'tokens',
    limit: perMinute,
    remaining: Math.max(0, Math.floor(bucket.tokens)),
    resetSeconds: Math.ceil(((perMinute - bucket.tokens) * 60) / perMinute),
  };
}

function createLimitError(limit: RateLimit, bucket: Bucket, needed: number): RelayError {
  const rateLimitState = toRateLimitState(limit, bucket);
  const seconds = Math.max(1, Math.ceil(((needed - bucket.tokens) * 60) / limit.perMinute));
  return new RelayError(
    'rate_limit_exceeded',
    `Rate limit reached: ${limit.callerLabel} may use ${limit.perMinute} model tokens per minute. ${rateLimitState.remaining} are left, and this request may need ${needed}. ${formatRetryAdvice(seconds)}`,
    { retryAfterSeconds: seconds, rateLimitState },
  );
}
