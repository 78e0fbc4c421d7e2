/**
 * Requests per minute. Below 60 a fixed window of a minute is counted, so that "3 per minute" means three; from 60 on
 * a token bucket with ten seconds of burst evens the load out.
 */
import { createBoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import type { Standing } from './limit-standing.ts';
import { RelayError } from './relay-error.ts';

const WINDOW_MS = 60_000;
const BURST_SECONDS = 10;
const KEYS_MAX = 100_000;

interface Bucket {
  tokens: number;
  updated: number;
}

/** Of requests, or of language-model tokens. */
export interface RateLimit {
  /** Of the bucket: whoever it is shared by. */
  name: string;
  /** 0: none. */
  perMinute: number;
  /** Its name in the headers. */
  policy: string;
  /** Whose limit it is, in the message. */
  whose: string;
}

export interface RequestRate {
  /**
   * Counts one request against all limits, or against none.
   * @throws RelayError `rate_limit_exceeded` that names the limit and when to come back
   */
  take(limits: readonly RateLimit[]): Standing[];
  /** For a request that was not to run after all. */
  giveBack(limits: readonly RateLimit[]): void;
}

export function createRequestRate(clock: Clock): RequestRate {
  const buckets = createBoundedMap<string, Bucket>(KEYS_MAX);

  const filled = ({ name, perMinute }: RateLimit, now: number): Bucket => {
    const known = buckets.get(name);
    if (known !== undefined) {
      fill(known, perMinute, now);
      return known;
    }
    const bucket = { tokens: capacityOf(perMinute), updated: now };
    buckets.set(name, bucket);
    return bucket;
  };

  return {
    take(limits) {
      const now = clock.elapsed();
      const taken: { limit: RateLimit; bucket: Bucket }[] = [];
      for (const limit of limits) {
        if (limit.perMinute <= 0) continue;
        const bucket = filled(limit, now);
        if (bucket.tokens < 1) throw refused(limit, bucket, now);
        taken.push({ limit, bucket });
      }
      for (const { bucket } of taken) bucket.tokens -= 1;
      return taken.map(({ limit, bucket }) => standingOf(limit, bucket, now));
    },
    giveBack(limits) {
      for (const { name } of limits) {
        const bucket = buckets.get(name);
        if (bucket !== undefined) bucket.tokens += 1;
      }
    },
  };
}

function fill(bucket: Bucket, perMinute: number, now: number): void {
  if (perMinute < 60) {
    if (now - bucket.updated < WINDOW_MS) return;
    bucket.tokens = perMinute;
  } else {
    const more = ((now - bucket.updated) * perMinute) / WINDOW_MS;
    bucket.tokens = Math.min(capacityOf(perMinute), bucket.tokens + more);
  }
  bucket.updated = now;
}

function capacityOf(perMinute: number): number {
  return perMinute < 60 ? perMinute : Math.max(1, (perMinute * BURST_SECONDS) / 60);
}

function resetMs(bucket: Bucket, perMinute: number, now: number): number {
  if (perMinute < 60) return WINDOW_MS - (now - bucket.updated);
  return ((capacityOf(perMinute) - bucket.tokens) * WINDOW_MS) / perMinute;
}

function waitMs(bucket: Bucket, perMinute: number, now: number): number {
  return perMinute < 60 ? resetMs(bucket, perMinute, now) : ((1 - bucket.tokens) * WINDOW_MS) / perMinute;
}

function standingOf({ policy, perMinute }: RateLimit, bucket: Bucket, now: number): Standing {
  return {
    policy,
    unit: 'requests',
    limit: perMinute,
    remaining: Math.floor(bucket.tokens),
    resetSeconds: Math.ceil(resetMs(bucket, perMinute, now) / 1000),
  };
}

function refused(limit: RateLimit, bucket: Bucket, now: number): RelayError {
  const seconds = Math.max(1, Math.ceil(waitMs(bucket, limit.perMinute, now) / 1000));
  return new RelayError(
    'rate_limit_exceeded',
    `${limit.whose} allows ${limit.perMinute} requests per minute; none is left. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, standing: standingOf(limit, bucket, now) },
  );
}
