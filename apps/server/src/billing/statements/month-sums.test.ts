import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { emptyRecord } from '../../ledger/ledger.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';
import { monthAt } from './list-statements.ts';
import { type MonthSums, readMonthSums } from './month-sums.ts';

const START = Date.UTC(2026, 0, 1) / 1000;
const models = ['a', 'b', 'c'] as const;
const clock = createTestClock(START * 1000);
const testLedger = await openTestLedger({ clock });
afterAll(() => testLedger.close());

type Step = { wait: number } & (
  | { kind: 'call'; model: string; points: number }
  | { kind: 'top-up' | 'gift' | 'adjust' | 'refund'; points: number }
);

const wait = fc.integer({ min: 0, max: 12 * 86_400 });
const points = fc.integer({ min: 0, max: 5_000 });
const call = fc.record({ kind: fc.constant('call' as const), wait, model: fc.constantFrom(...models), points });
const gain = fc.record({ kind: fc.constantFrom('top-up' as const, 'gift' as const), wait, points });
const loss = fc.record({
  kind: fc.constantFrom('adjust' as const, 'refund' as const),
  wait,
  points: points.map((amount) => -amount),
});
const history: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: gain }, { weight: 1, arbitrary: loss }),
  { maxLength: 40 },
);

let requests = 0;
let users = 0;

async function newUser(): Promise<number> {
  users += 1;
  const id = users;
  await testLedger.ledger.transaction((_trx, moves) => moves.openUserAccount(id));
  return id;
}

/** @returns whether the call was admitted: a user with a debt cannot call */
async function make({ ledger }: TestLedger, userId: number, step: Step): Promise<boolean> {
  requests += 1;
  const requestId = `r${requests}`;
  if (step.kind !== 'call') {
    const { kind, points: amount } = step;
    await ledger.transaction((_trx, moves) =>
      moves.post({ kind, ref: requestId, userId, amount, note: '', mayLeaveDebt: true }),
    );
    return true;
  }
  const { held } = await ledger.hold({ requestId, userId, apiKeyId: null, limited: false, amount: 0 });
  if (!held) return false;
  await ledger.settle(requestId, step.points, {
    ...emptyRecord,
    request_id: requestId,
    created_at: clock.now() / 1000,
    type: 'consume',
    user_id: userId,
    model: step.model,
    quota: step.points,
    prompt_tokens: 3,
    completion_tokens: 2,
    duration_ms: 7,
  });
  return true;
}

/** Simple model of a month's sums, computed from its events only. */
function pencil(done: readonly { time: number; step: Step }[], from: number, to: number) {
  const before = done.filter(({ time }) => time < from).map(({ step }) => gainOf(step));
  const within = done.filter(({ time }) => time >= from && time < to).map(({ step }) => step);
  const of = (kind: Step['kind']): number => sum(within.filter((step) => step.kind === kind).map(gainOf));
  return {
    opening: sum(before),
    closing: sum(before) + sum(within.map(gainOf)),
    movements: {
      charges: of('call'),
      top_ups: of('top-up'),
      refunds: of('refund'),
      gifts: of('gift'),
      adjustments: of('adjust'),
    },
    quotas: Object.fromEntries(
      models.flatMap((model) => {
        const calls = within.flatMap((step) => (step.kind === 'call' && step.model === model ? [step] : []));
        return calls.length === 0 ? [] : [[model, { count: calls.length, quota: sum(calls.map((c) => c.points)) }]];
      }),
    ),
  };
}

const gainOf = (step: Step): number => (step.kind === 'call' ? 0 - step.points : step.points);
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const seen = ({ opening, closing, movements, models: used }: MonthSums) => ({
  opening,
  closing,
  movements,
  quotas: Object.fromEntries(
    used.map(({ model_name, request_count, quota }) => [model_name, { count: request_count, quota }]),
  ),
});

test('a month equals its model for any events, and its models add up to its charges', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      clock.set(START * 1000);
      const userId = await newUser();
      const done: { time: number; step: Step }[] = [];
      for (const step of steps) {
        clock.advance(step.wait);
        if (await make(testLedger, userId, step)) done.push({ time: clock.now() / 1000, step });
      }
      let closing = 0;
      for (let month = monthAt(START); month.from <= clock.now() / 1000; month = monthAt(month.to)) {
        const sums = await readMonthSums(testLedger.db, userId, month);
        expect(seen(sums)).toEqual(pencil(done, month.from, month.to));
        expect(sums.opening).toBe(closing);
        expect(sum(sums.models.map(({ quota }) => quota))).toBe(0 - sums.movements.charges);
        closing = sums.closing;
      }
      const account = await testLedger.db.writer
        .selectFrom('user_account')
        .select('balance')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      expect(closing).toBe(account.balance);
    }),
    { numRuns: 40 },
  );
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a month ends with its last second', async () => {
  const userId = await newUser();
  clock.set(START * 1000);
  await make(testLedger, userId, { kind: 'top-up', points: 10_000, wait: 0 });
  const [january, february] = [monthAt(START), monthAt(monthAt(START).to)];
  for (const [time, amount] of [
    [january.to - 1, 1],
    [january.to, 10],
    [february.to - 1, 100],
    [february.to, 1000],
  ] as const) {
    clock.set(time * 1000);
    await make(testLedger, userId, { kind: 'call', model: 'a', points: amount, wait: 0 });
  }
  const charges = async (month: typeof january) =>
    (await readMonthSums(testLedger.db, userId, month)).movements.charges;
  expect([await charges(january), await charges(february), await charges(monthAt(february.to))]).toEqual([
    -1, -110, -1000,
  ]);
});

test('charges without usage are a separate line, and so is usage without charges', async () => {
  const userId = await newUser();
  clock.set(START * 1000);
  await make(testLedger, userId, { kind: 'call', model: 'gone', points: 70, wait: 0 });
  await testLedger.db.writer.deleteFrom('usage_hour').where('user_id', '=', userId).execute();
  expect((await readMonthSums(testLedger.db, userId, monthAt(START))).models).toEqual([
    { model_name: '', request_count: 0, quota: 70, prompt_tokens: 0, completion_tokens: 0, request_time: 0 },
  ]);
  const other = await newUser();
  testLedger.ledger.record({
    ...emptyRecord,
    request_id: 'uncharged',
    created_at: START,
    type: 'consume',
    user_id: other,
    model: 'a',
    quota: 5,
  });
  await testLedger.ledger.transaction(async () => {});
  const { models: lines, movements } = await readMonthSums(testLedger.db, other, monthAt(START));
  expect(lines.map(({ model_name, quota }) => [model_name, quota])).toEqual([
    ['a', 5],
    ['', -5],
  ]);
  expect(movements.charges).toBe(0);
});

test('a user without movements has no sums', async () => {
  const sums = await readMonthSums(testLedger.db, await newUser(), monthAt(START));
  expect(sums).toMatchObject({ opening: 0, closing: 0, models: [] });
});
