import { expect, test } from 'vitest';
import { createRepeatedErrorLog, silentLog } from '../platform/log.ts';
import { createTestClock } from '../testing/test-clock.ts';
import type { WriteCommitter } from './commit/group-commit.ts';
import type { HoldSettlement } from './ledger-write-types.ts';
import { createSettlements } from './settlements.ts';

const SQLITE_FULL = 13;
const COUNT = 500;

const endOf = (nth: number): HoldSettlement => ({
  type: 'void',
  hold: { requestId: `req_${nth}`, userId: 1, apiKeyId: null, limited: false, amount: 10 },
  record: undefined,
});

test('while the storage is away, one settlement a second is tried, and all are written once it is back', () => {
  const clock = createTestClock(0);
  const failure = Object.assign(new Error('database or disk is full'), { errcode: SQLITE_FULL });
  let isFull = true;
  let attempts = 0;
  const written = new Set<string>();
  const errors: object[] = [];
  let noted = 0;
  let cleared = 0;
  const commits: WriteCommitter = {
    add(movement, done) {
      attempts += 1;
      if (!isFull && movement.type === 'void') written.add(movement.hold.requestId);
      done(isFull ? failure : undefined);
    },
    flush: async (then) => then?.(),
    waiting: 0,
    observe() {},
  };
  const memory = { settle: same, retry: same, forget() {}, forgetAll() {} };
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
  const settlements = createSettlements(memory, commits, {
    timers: clock,
    log: silentLog,
    logError: createRepeatedErrorLog(log, clock),
    outbox: { append: () => void (noted += 1), clear: () => void (cleared += 1), close() {} },
  });
  for (let nth = 0; nth < COUNT; nth += 1) settlements.settle(endOf(nth));
  expect({ attempts, noted }).toEqual({ attempts: COUNT, noted: COUNT });
  for (let second = 0; second < 120; second += 1) clock.advance(1);
  expect(attempts).toBe(COUNT + 120);
  expect(errors.length).toBeLessThanOrEqual(5);
  expect({ noted, cleared }).toEqual({ noted: COUNT, cleared: 0 });
  isFull = false;
  clock.advance(1);
  expect(written.size).toBe(COUNT);
  expect(cleared).toBe(1);
  // Nothing is left to try.
  attempts = 0;
  clock.advance(600);
  expect(attempts).toBe(0);
});

function same(end: HoldSettlement): HoldSettlement {
  return end;
}
