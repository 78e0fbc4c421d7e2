/**
 * Language-model tokens per minute. A bucket that holds one minute's worth: a request takes its estimate when it is
 * admitted and is corrected by what it used at its end, so that a bucket may owe.
 */
import { createBoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import type { Standing } from './limit-standing.ts';
import { RelayError } from './relay-error.ts';
import type { RateLimit } from './request-rate.ts';

const MINUTE_MS = 60_000;
const KEYS_MAX = 100_000;

interface Bucket {
  tokens: number;
  updated: number;
}

export interface TokenCharge {
  standings: Standing[];
  /** Tokens that the request turned out to use; 0 until that is known. */
  used: number;
  /** Gives back what was estimated too much, or takes what is missing. To be called once. */
  correct(): void;
}

export interface TokenRate {
  /**
   * Takes an estimate from all limits, or from none. Undefined where there is no limit. A request that is larger than
   * a limit passes when its bucket is full.
   * @throws RelayError `rate_limit_exceeded`
   */
  take(limits: readonly RateLimit[], estimate: number): TokenCharge | undefined;
}

export function createTokenRate(clock: Clock): TokenRate {
  const buckets = createBoundedMap<string, Bucket>(KEYS_MAX);

  const filled = ({ name, perMinute }: RateLimit): Bucket => {
    const now = clock.elapsed();
    const bucket = buckets.get(name) ?? { tokens: perMinute, updated: now };
    const more = ((now - bucket.updated) * perMinute) / MINUTE_MS;
    bucket.tokens = Math.min(perMinute, bucket.tokens + more);
    bucket.updated = now;
    buckets.set(name, bucket);
    return bucket;
  };

  return {
    take(limits, estimate) {
      const active = limits.filter(({ perMinute }) => perMinute > 0);
      if (active.length === 0) return undefined;
      const taken = active.map((limit) => ({ limit, bucket: filled(limit) }));
      for (const { limit, bucket } of taken) {
        const needed = Math.min(estimate, limit.perMinute);
        if (bucket.tokens < needed) throw refused(limit, bucket, needed);
      }
      for (const { bucket } of taken) bucket.tokens -= estimate;
      return {
        standings: taken.map(({ limit, bucket }) => standingOf(limit, bucket)),
        used: 0,
        correct() {
          for (const { limit } of taken) filled(limit).tokens += estimate - this.used;
        },
      };
    },
  };
}

function standingOf({ policy, perMinute }: RateLimit, bucket: Bucket): Standing {
  return {
    policy,
    unit: 'tokens',
    limit: perMinute,
    remaining: Math.max(0, Math.floor(bucket.tokens)),
    resetSeconds: Math.ceil(((perMinute - bucket.tokens) * 60) / perMinute),
  };
}

function refused(limit: RateLimit, bucket: Bucket, needed: number): RelayError {
  const standing = standingOf(limit, bucket);
  const seconds = Math.max(1, Math.ceil(((needed - bucket.tokens) * 60) / limit.perMinute));
  return new RelayError(
    'rate_limit_exceeded',
    `${limit.whose} allows ${limit.perMinute} tokens per minute; ${standing.remaining} are left, this request may need ${needed}. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, standing },
  );
}
