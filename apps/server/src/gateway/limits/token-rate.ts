/**
 * Language-model tokens per minute. A bucket that holds one minute's worth: a request takes its estimate when it is
 * admitted and is corrected by what it used at its end, so that a bucket may owe.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Bucket, createBuckets } from '../../platform/limits/buckets.ts';
import { unsharedLimits } from '../../platform/limits/shared-limits.ts';
import type { RateLimitState } from '../http/rate-limit-state.ts';
import { RelayError } from '../http/relay-error.ts';
import type { RateLimit } from './request-rate.ts';

export interface TokenCharge {
  rateLimitStates: RateLimitState[];
  /** Tokens that the request turned out to use; 0 until that is known. */
  used: number;
  /** Gives back what was estimated too much, or takes what is missing. To be called once. */
  correct(): void;
}

export interface TokenRateLimiter {
  /**
   * Takes an estimate from all limits, or from none. Undefined where there is no limit. A request that is larger than
   * a limit passes when its bucket is full.
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
    `Rate limit reached: ${limit.ownerLabel} allows ${limit.perMinute} tokens per minute. ${rateLimitState.remaining} are left, this request may need ${needed}. Retry in ${seconds} seconds.`,
    { retryAfterSeconds: seconds, rateLimitState },
  );
}
