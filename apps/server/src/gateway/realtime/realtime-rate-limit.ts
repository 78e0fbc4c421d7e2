/**
 * Limits the message rates of realtime sessions. A message costs the same whatever its size, so a byte limit is not
 * enough: above the rate, a side is paused; a side that stays above it is closed.
 */
import type { Clock } from '../../platform/clock.ts';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { RelayError } from '../http/relay-error.ts';

export type Side = 'client' | 'upstream';

/** A client sends audio 50, at most 200 times a second; an upstream sends a response faster than it is spoken. */
const SIDE_RATE = { perSecond: 500, burst: 2_000 };
/** Rate of all sessions of a user together. */
const USER_RATE = { perSecond: 2_500, burst: 10_000 };
/** Time after which a bucket is full again. */
const REFILL_MS = 60_000;
/** Number of consecutive checks above the rate after which a session ends. */
const BEYOND_LOOKS_MAX = 30;
const HALF_LIFE_MS = 10_000;
/** Minimum of recent messages for which an overloaded gateway ends a user's sessions. */
const GREEDY_MIN = 5_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

interface UserTraffic {
  bucket: Bucket;
  sessions: number;
  /** Number of messages, exponentially decayed. */
  recent: number;
  recentAt: number;
}

/** Message counts of one session. */
export interface SessionTraffic {
  /** Counts a message. @returns milliseconds for which its side must be paused */
  count(side: Side): number;
  /** Checks the rate; called once a second. @returns the reason why the session must end */
  checkRate(): RelayError | undefined;
  end(): void;
}

export interface RealtimeRateLimit {
  open(userId: number): SessionTraffic;
}

export function createRealtimeRateLimit(clock: Clock, overload: Pick<OverloadMonitor, 'shedding'>): RealtimeRateLimit {
  const users = new Map<number, UserTraffic>();
  const fade = (user: UserTraffic): number => {
    const now = clock.elapsed();
    user.recent *= 0.5 ** ((now - user.recentAt) / HALF_LIFE_MS);
    user.recentAt = now;
    return user.recent;
  };
  const isGreediest = (user: UserTraffic): boolean =>
    fade(user) >= GREEDY_MIN && [...users.values()].every((other) => fade(other) <= user.recent);

  /** Removes users whose bucket is full again. A user who reconnects before that keeps the partly used bucket. */
  const forgetOld = (now: number): void => {
    for (const [userId, { sessions, recentAt }] of users)
      if (sessions === 0 && now - recentAt > REFILL_MS) users.delete(userId);
  };

  return {
    open(userId) {
      const now = clock.elapsed();
      forgetOld(now);
      const user = users.get(userId) ?? {
        bucket: createFullBucket(USER_RATE, now),
        sessions: 0,
        recent: 0,
        recentAt: now,
      };
      users.set(userId, user);
      user.sessions += 1;
      const sides = { client: createFullBucket(SIDE_RATE, now), upstream: createFullBucket(SIDE_RATE, now) };
      let beyond = 0;
      const waitOf = (side: Side): number =>
        Math.max(takeToken(sides[side], SIDE_RATE, clock), takeToken(user.bucket, USER_RATE, clock));
      return {
        count(side) {
          fade(user);
          user.recent += 1;
          sides[side].tokens -= 1;
          user.bucket.tokens -= 1;
          return waitOf(side);
        },
        checkRate() {
          const beyondNow = (['client', 'upstream'] as const).find((side) => waitOf(side) > 0);
          beyond = beyondNow === undefined ? 0 : beyond + 1;
          if (beyond >= BEYOND_LOOKS_MAX) return tooManyMessagesError(beyondNow);
          return overload.shedding && isGreediest(user) ? overloadedError() : undefined;
        },
        end() {
          user.sessions -= 1;
        },
      };
    },
  };
}

const createFullBucket = ({ burst }: typeof SIDE_RATE, now: number): Bucket => ({ tokens: burst, filledAt: now });

function takeToken(bucket: Bucket, { perSecond, burst }: typeof SIDE_RATE, clock: Clock): number {
  const now = clock.elapsed();
  bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) * perSecond) / 1000);
  bucket.filledAt = now;
  return bucket.tokens >= 0 ? 0 : Math.ceil((-bucket.tokens * 1000) / perSecond);
}

function tooManyMessagesError(side: Side | undefined): RelayError {
  return side === 'upstream'
    ? new RelayError('upstream_error', 'The upstream sent too many messages. Open a new session.')
    : new RelayError(
        'rate_limit_exceeded',
        `This session sent more than ${SIDE_RATE.perSecond} messages per second for too long. Send larger messages.`,
      );
}

function overloadedError(): RelayError {
  return new RelayError(
    'overloaded',
    'The gateway is overloaded and this account sends the most messages. Open a new session in a moment.',
  );
}
