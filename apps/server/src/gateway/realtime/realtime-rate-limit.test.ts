import { beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import {
  createRealtimeRateLimit,
  type RealtimeRateLimit,
  type SessionTraffic,
  type Side,
} from './realtime-rate-limit.ts';

let clock: TestClock;
let overload: { shedding: boolean };
let rateLimit: RealtimeRateLimit;

beforeEach(() => {
  clock = createTestClock(0);
  overload = { shedding: false };
  rateLimit = createRealtimeRateLimit(clock, overload);
});

/** @returns for how long the side is not to be read after the last one */
function send(session: SessionTraffic, count: number, side: Side = 'client'): number {
  let waitMs = 0;
  for (let nth = 0; nth < count; nth += 1) waitMs = session.count(side);
  return waitMs;
}

test('a session that sends and receives audio 200 times a second is never slowed', () => {
  const session = rateLimit.open(1);
  for (let second = 0; second < 600; second += 1) {
    expect([send(session, 200), send(session, 400, 'upstream'), session.checkRate()]).toEqual([0, 0, undefined]);
    clock.advance(1);
  }
});

test.each(['client', 'upstream'] as const)('a %s that sends more than 500 messages a second is slowed', (side) => {
  const session = rateLimit.open(1);
  expect(send(session, 2_000, side)).toBe(0);
  expect(send(session, 500, side)).toBe(1_000);
  clock.advance(1);
  expect(send(session, 1, side)).toBeLessThan(10);
});

test('all sessions of a user are slowed together, and those of other users are not', () => {
  const sessions = Array.from({ length: 20 }, () => rateLimit.open(1));
  for (const session of sessions) send(session, 600);
  expect(sessions.every((session) => session.count('client') > 0)).toBe(true);
  expect(rateLimit.open(2).count('client')).toBe(0);
});

test.each([
  ['client', 'rate_limit_exceeded'],
  ['upstream', 'upstream_error'],
] as const)('a session whose %s stays beyond the rate for 30 seconds is ended', (side, code) => {
  const session = rateLimit.open(1);
  const codes = Array.from({ length: 31 }, () => {
    send(session, 2_000, side);
    clock.advance(1);
    return session.checkRate()?.code;
  });
  expect(codes.slice(0, 25).every((one) => one === undefined)).toBe(true);
  expect(codes.at(-1)).toBe(code);
});

test('the user with the most messages loses the sessions while the gateway is overloaded', () => {
  const [greedy, modest] = [rateLimit.open(1), rateLimit.open(2)];
  send(greedy, 6_000);
  send(modest, 5_500);
  expect([greedy.checkRate(), modest.checkRate()]).toEqual([undefined, undefined]);
  overload.shedding = true;
  expect([greedy.checkRate()?.code, modest.checkRate()?.code]).toEqual(['overloaded', undefined]);
});

test('no session ends because of an overload that its messages do not cause', () => {
  const session = rateLimit.open(1);
  send(session, 1_000);
  overload.shedding = true;
  expect(session.checkRate()).toBeUndefined();
});

test('a user is remembered between sessions, and forgotten after a minute of silence', () => {
  const session = rateLimit.open(1);
  send(session, 30_000);
  session.end();
  const next = rateLimit.open(1);
  expect(next.count('client')).toBeGreaterThan(1_000);
  next.end();
  clock.advance(61);
  expect(rateLimit.open(1).count('client')).toBe(0);
});
