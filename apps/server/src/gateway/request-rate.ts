/**
 * Requests per minute. Below 60 a fixed window of a minute is counted, so that "3 per minute" means three; from 60 on
 * a token bucket with ten seconds of burst evens the load out.
 */
import { LRUCache } from 'lru-cache';
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

/** Whose limit it is: `policy` in the headers, `whose` in the message. */
export interface LimitOwner {
  policy: string;
  whose: string;
}

export interface RequestRate {
  /**
   * Counts one request; undefined where there is no limit.
   * @throws RelayError `rate_limit_exceeded` that names the limit and when to come back
   */
  take(name: string, perMinute: number, owner: LimitOwner): Standing | undefined;
}

export function createRequestRate(clock: Clock): RequestRate {
  const buckets = new LRUCache<string, Bucket>({ max: KEYS_MAX });
  return {
    take(name, perMinute, { policy, whose }) {
      if (perMinute <= 0) return undefined;
      const now = clock.elapsed();
      const known = buckets.get(name);
      const bucket = known ?? { tokens: capacityOf(perMinute), updated: now };
      if (known === undefined) buckets.set(name, bucket);
      fill(bucket, perMinute, now);
      const isRefused = bucket.tokens < 1;
      if (!isRefused) bucket.tokens -= 1;
      const standing: Standing = {
        policy,
        unit: 'requests',
        limit: perMinute,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.ceil(resetMs(bucket, perMinute, now) / 1000),
      };
      if (isRefused) throw refused(standing, whose, waitMs(bucket, perMinute, now));
      return standing;
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
  if (perMinute < 60) return bucket.updated + WINDOW_MS - now;
  return ((capacityOf(perMinute) - bucket.tokens) * WINDOW_MS) / perMinute;
}

function waitMs(bucket: Bucket, perMinute: number, now: number): number {
  return perMinute < 60 ? resetMs(bucket, perMinute, now) : ((1 - bucket.tokens) * WINDOW_MS) / perMinute;
}

function refused(standing: Standing, whose: string, wait: number): RelayError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new RelayError(
    'rate_limit_exceeded',
    `${whose} allows ${standing.limit} requests per minute; none is left. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds, standing },
  );
}
