import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createConsumeRecord } from '../../../../../tests/faults/consume-record.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';
import type { Budgets } from '../ledger.ts';

const HOUR = 3_600;
/** A Friday, ten hours before midnight. */
const FRIDAY = Date.parse('2026-11-20T14:00:00Z');
const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;

let clock: TestClock;
let testLedger: TestLedger;
let requests = 0;

beforeEach(async () => {
  clock = createTestClock(FRIDAY);
  testLedger = await openTestLedger({ clock });
  await testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 0);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 100_000, note: '' });
  });
});
afterEach(() => testLedger.close());

const only = (budgets: Partial<Budgets>): Budgets => ({ day: null, week: null, month: null, ...budgets });

async function hold(amount: number, budgets: Budgets) {
  requests += 1;
  const requestId = `b${requests}`;
  const answer = await testLedger.ledger.hold({ requestId, userId: 1, apiKeyId: 7, limited: false, budgets, amount });
  return { requestId, answer };
}

async function spend(points: number, channelId: number | null = null): Promise<void> {
  const { requestId } = await hold(points, only({}));
  const consumed = createConsumeRecord(requestId, 1, 7, points);
  const record = { ...consumed, channel_id: channelId, created_at: nowSeconds(clock) };
  await testLedger.ledger.settle(requestId, points, record);
}

test('counts running and settled charges against a budget, and reports the remainder and the reset', async () => {
  await spend(60);
  const { answer: first } = await hold(30, only({ day: 100 }));
  expect(first).toEqual({ held: true });
  const { answer: second } = await hold(11, only({ day: 100 }));
  expect(second).toEqual({ held: false, short: 'day', available: 10, resetsAt: utc('2026-11-21T00:00:00') });
  const { answer: third } = await hold(10, only({ day: 100 }));
  expect(third).toEqual({ held: true });
});

test.each([
  ['day', 10 * HOUR, '2026-11-21T00:00:00'],
  ['week', 58 * HOUR, '2026-11-23T00:00:00'],
  ['month', 10 * 24 * HOUR + 10 * HOUR, '2026-12-01T00:00:00'],
] as const)(
  'a budget for a %s is whole again when the next one begins, and not a second before',
  async (period, seconds, next) => {
    await spend(100);
    clock.advance(seconds - 1);
    const { answer: before } = await hold(1, only({ [period]: 100 }));
    expect(before).toEqual({ held: false, short: period, available: 0, resetsAt: utc(next) });
    clock.advance(1);
    const { answer: after } = await hold(100, only({ [period]: 100 }));
    expect(after).toEqual({ held: true });
  },
);

test('a week and a month count the days before', async () => {
  await spend(40);
  clock.advance(24 * HOUR);
  await spend(40);
  const { answer } = await hold(21, only({ day: 1_000, week: 100, month: 1_000 }));
  expect(answer).toMatchObject({ held: false, short: 'week', available: 20 });
});

test('knows the usage after a restart', async () => {
  await spend(40);
  clock.advance(24 * HOUR);
  await spend(30);
  await testLedger.restart();
  expect((await hold(71, only({ day: 100 }))).answer).toMatchObject({ short: 'day', available: 70 });
  expect((await hold(31, only({ week: 100 }))).answer).toMatchObject({ short: 'week', available: 30 });
  expect((await hold(31, only({ month: 100 }))).answer).toMatchObject({ short: 'month', available: 30 });
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a refused request reserves nothing', async () => {
  const before = await testLedger.ledger.readAvailable(1);
  await hold(500, only({ day: 100 }));
  expect(await testLedger.ledger.readAvailable(1)).toBe(before);
  expect((await hold(100, only({ day: 100 }))).answer).toEqual({ held: true });
});

test('a clock that is set back does not make a used budget whole', async () => {
  clock.advance(10 * HOUR);
  await spend(100);
  clock.advance(-HOUR);
  expect((await hold(1, only({ day: 100 }))).answer).toMatchObject({ held: false, short: 'day' });
});

describe('a clock that is set back', () => {
  const DAY = 24 * HOUR;
  const availableIn = async (period: keyof Budgets): Promise<number | undefined> => {
    const { answer } = await hold(90_000, only({ [period]: 1_000 }));
    return answer.held ? undefined : answer.available;
  };

  test.each([
    ['day', DAY],
    ['week', 8 * DAY],
    ['month', 40 * DAY],
  ] as const)('counts charges in the earlier %s at once, and alike after a restart', async (period, seconds) => {
    await spend(10);
    clock.jump(-seconds);
    await spend(60);
    expect(await availableIn(period)).toBe(930);
    await testLedger.restart();
    expect(await availableIn(period)).toBe(930);
    await spend(200);
    expect(await availableIn(period)).toBe(730);
    clock.jump(seconds);
    expect(await availableIn(period)).toBe(990);
    await testLedger.restart();
    expect(await availableIn(period)).toBe(990);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test.each(['day', 'week', 'month'] as const)('counts the costs of a channel in the earlier %s', async (period) => {
    await spend(10, 5);
    clock.jump(-40 * DAY);
    await spend(60, 5);
    expect(testLedger.ledger.getChannelSpend(5, period)).toBe(70);
    await testLedger.restart();
    expect(testLedger.ledger.getChannelSpend(5, period)).toBe(70);
    clock.jump(40 * DAY);
    expect(testLedger.ledger.getChannelSpend(5, period)).toBe(10);
  });
});

test('the self-check notices a day that was changed by hand', async () => {
  await spend(40);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
  getSqliteEngine(testLedger.db).connection.exec('update key_day set used = used - 1');
  expect(await testLedger.listDiscrepancies()).toEqual(['points by day of token 7: stored 39, computed 40']);
});
