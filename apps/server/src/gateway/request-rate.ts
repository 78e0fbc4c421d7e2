/**
 * Requests per minute. Below 60 a fixed window of a minute is counted, so that "3 per minute" means three; from 60 on
 * a token bucket with ten seconds of burst evens the load out.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.ts';
import { RelayError } from './relay-error.ts';

const WINDOW_MS = 60_000;
const BURST_SECONDS = 10;
const KEYS_MAX = 100_000;

interface Bucket {
  tokens: number;
  updated: number;
}

export interface RequestRate {
  /** Counts one request. @throws RelayError `rate_limit_exceeded` that names the limit and when to come back */
  take(name: string, perMinute: number, whose: string): void;
}

export function createRequestRate(clock: Clock): RequestRate {
  const buckets = new LRUCache<string, Bucket>({ max: KEYS_MAX });
  return {
    take(name, perMinute, whose) {
      if (perMinute <= 0) return;
      const now = clock.now();
      const bucket = buckets.get(name) ?? { tokens: capacityOf(perMinute), updated: now };
      // A clock that was set back must not keep anybody waiting for the time in between.
      if (bucket.updated > now) bucket.updated = now;
      if (perMinute < 60) {
        if (now - bucket.updated >= WINDOW_MS) Object.assign(bucket, { tokens: perMinute, updated: now });
      } else {
        bucket.tokens = Math.min(
          capacityOf(perMinute),
          bucket.tokens + ((now - bucket.updated) * perMinute) / WINDOW_MS,
        );
        bucket.updated = now;
      }
      buckets.set(name, bucket);
      if (bucket.tokens < 1) throw refused(perMinute, whose, waitMs(bucket, perMinute, now));
      bucket.tokens -= 1;
    },
  };
}

function capacityOf(perMinute: number): number {
  return perMinute < 60 ? perMinute : Math.max(1, (perMinute * BURST_SECONDS) / 60);
}

function waitMs(bucket: Bucket, perMinute: number, now: number): number {
  return perMinute < 60 ? bucket.updated + WINDOW_MS - now : ((1 - bucket.tokens) * WINDOW_MS) / perMinute;
}

function refused(perMinute: number, whose: string, wait: number): RelayError {
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new RelayError(
    'rate_limit_exceeded',
    `${whose} allows ${perMinute} requests per minute. Try again in ${seconds} s.`,
    {
      retryAfterSeconds: seconds,
    },
  );
}
