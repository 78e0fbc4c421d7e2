/**
 * Histories of the ledger beside the model. Steps are sequential, so that the model predicts every result: which hold
 * is refused and for which limit, what is charged, what a restart settles. Throws at the first difference.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { type Database, openDatabase } from '../../apps/server/src/db/open-database.ts';
import { type Budgets, type Hold, type Ledger, openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { AppError } from '../../apps/server/src/platform/http/app-error.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { createConsumeRecord } from './consume-record.ts';
import { type LedgerModel, type ModelKey, placeModelHold } from './ledger-model.ts';

const USERS = [1, 2] as const;
/** Two keys with a limit, two without. */
const KEYS = [11, 12, 13, 14] as const;
const START = Date.parse('2026-11-20T20:00:00Z') / 1000;
const CHANNEL = 5;

/** Few different amounts, so that balances are often just sufficient. */
const points = fc.integer({ min: 0, max: 6 }).map((steps) => steps * 50);
const pick = fc.nat();
const user = fc.constantFrom(...USERS);
const key = fc.constantFrom(...KEYS);
const budget = fc.option(
  fc.integer({ min: 0, max: 20 }).map((steps) => steps * 50),
  { nil: null, freq: 3 },
);
const budgets = fc.record({ day: budget, week: budget, month: budget });
const kind = <T extends string>(type: T) => fc.constant(type);
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ type: kind('hold'), key, amount: points, budgets: fc.option(budgets) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: kind('settle'),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      charge: points,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: kind('raise'), pick, amount: points }) },
  { weight: 1, arbitrary: fc.record({ type: kind('void'), pick }) },
  { weight: 2, arbitrary: fc.record({ type: kind('outlive'), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: kind('end'), pick, charge: fc.option(points, { nil: undefined, freq: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: kind('give-back'), pick }) },
  { weight: 3, arbitrary: fc.record({ type: kind('checkpoint'), pick, charge: points }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: kind('move'),
      user,
      amount: fc.integer({ min: -8, max: 14 }).map((steps) => steps * 50),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: kind('limit'), key, remaining: points }) },
  { weight: 2, arbitrary: fc.record({ type: kind('wait'), seconds: fc.integer({ min: 600, max: 200_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: kind('set-clock'), seconds: fc.integer({ min: -3_000_000, max: 3_000_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: kind('restart') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class LedgerModelTest {
  now = START;
  /** Seconds that have passed, regardless of changes of the clock. */
  passed = 0;
  made = 0;
  readonly #folder: string;
  readonly #pencil: LedgerModel = {
    users: new Map(USERS.map((id) => [id, { balance: 0, used: 0, requests: 0 }])),
    keys: new Map(KEYS.map((id): [number, ModelKey] => [id, newKey(id)])),
    open: [],
    ended: new Map(),
  };
  #db: Database | undefined;
  #ledger: Ledger | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get ledger(): Ledger {
    assert(this.#ledger !== undefined);
    return this.#ledger;
  }
  get db(): Database {
    assert(this.#db !== undefined);
    return this.#db;
  }

  async open(): Promise<void> {
    this.#db = await openDatabase(join(this.#folder, 'ledger.db'));
    this.#ledger = await openLedger(
      this.#db,
      { ...systemTimers, now: () => this.now * 1000, elapsed: () => this.passed * 1000 },
      silentLog,
      this.#folder,
    );
  }

  async openAccounts(): Promise<void> {
    await this.ledger.transaction(async (_trx, moves) => {
      for (const id of USERS) await moves.openUserAccount(id);
      for (const [id, { user: owner, remaining }] of this.#pencil.keys)
        await moves.openKeyAccount(id, owner, remaining);
    });
  }

  async close(): Promise<void> {
    await this.ledger.close();
    await this.db.close();
  }

  async applyStep(one: Step): Promise<void> {
    switch (one.type) {
      case 'hold':
        return this.#hold(one.key, one.amount, one.budgets ?? undefined);
      case 'settle':
        await Promise.all(one.picks.map((nth) => this.#settle(nth, one.charge)));
        return;
      case 'raise':
        return this.#raise(one.pick, one.amount);
      case 'void': {
        const hold = this.#nth(one.pick);
        if (hold === undefined) return;
        this.ledger.release(hold.id);
        if (!hold.isLasting) this.#strike(hold);
        return;
      }
      case 'outlive':
        return this.#outlive(one.pick);
      case 'end':
        return this.#end(one.pick, one.charge);
      case 'give-back':
        return this.#giveBack(one.pick);
      case 'checkpoint': {
        const hold = this.#nth(one.pick);
        if (hold === undefined || hold.isLasting) return;
        hold.checkpoint = one.charge;
        this.ledger.checkpoint(hold.id, one.charge, this.#record(hold.id, hold.key, one.charge));
        return;
      }
      case 'move':
        return this.#move(one.user, one.amount);
      case 'limit':
        return this.#limit(one.key, one.remaining);
      case 'wait':
        this.now += one.seconds;
        this.passed += one.seconds;
        return;
      case 'set-clock':
        this.now += one.seconds;
        return;
      case 'restart':
        return this.#restart();
    }
  }

  async #hold(keyId: number, amount: number, limits: Budgets | undefined): Promise<void> {
    this.made += 1;
    const id = `r${this.made}`;
    const expected = placeModelHold(this.#pencil, { key: keyId, amount, budgets: limits }, this.now);
    const hold = { id, key: keyId, amount, budgets: limits, checkpoint: undefined, isLasting: false };
    assert.deepEqual(await this.ledger.hold(this.#holdOf(hold)), expected);
    if (expected.held) this.#pencil.open.push(hold);
  }

  async #raise(nth: number, amount: number): Promise<void> {
    const hold = this.#nth(nth);
    if (hold === undefined || hold.isLasting) return;
    const increase = amount - hold.amount;
    const expected =
      increase > 0 ? placeModelHold(this.#pencil, { ...hold, amount: increase }, this.now) : { held: true };
    assert.deepEqual(await this.ledger.hold(this.#holdOf({ ...hold, amount })), expected);
    if (increase > 0 && expected.held) hold.amount = amount;
  }

  async #settle(nth: number, charge: number): Promise<void> {
    const hold = this.#nth(nth);
    if (hold === undefined) return;
    if (hold.isLasting) {
      await this.ledger.settle(hold.id, 77, this.#record(hold.id, hold.key, 77));
      assert.equal(await this.ledger.readCharge(hold.id), undefined);
      return;
    }
    this.#strike(hold);
    this.#charge(hold, charge, this.now);
    await this.ledger.settle(hold.id, charge, this.#record(hold.id, hold.key, charge));
    await this.ledger.settle(hold.id, 77, this.#record(hold.id, hold.key, 77));
    this.ledger.release(hold.id);
    assert.equal(await this.ledger.readCharge(hold.id), charge);
  }

  async #outlive(nth: number): Promise<void> {
    const hold = this.#nth(nth);
    if (hold === undefined) return;
    await this.ledger.transaction((_trx, moves) => moves.keepHold(hold.id));
    hold.isLasting = true;
  }

  /** @param charge points; undefined: the hold is released */
  async #end(nth: number, charge: number | undefined): Promise<void> {
    const lasting = this.#pencil.open.filter(({ isLasting }) => isLasting);
    const hold = lasting[nth % Math.max(1, lasting.length)];
    if (hold === undefined) return;
    this.#strike(hold);
    if (charge !== undefined) this.#charge(hold, charge, this.now);
    const record = this.#record(hold.id, hold.key, charge ?? 0);
    await this.ledger.settleLasting(hold.id, charge === undefined ? { ...record, type: 'error' } : record, charge);
    await this.ledger.settleLasting(hold.id, this.#record(hold.id, hold.key, 77), 77);
    assert.equal(await this.ledger.readCharge(hold.id), charge);
  }

  async #giveBack(nth: number): Promise<void> {
    const hold = this.#nth(nth);
    if (hold === undefined) return;
    const giveBack = () => this.ledger.transaction((_trx, moves) => moves.releaseHold(hold.id));
    assert.equal(await giveBack(), hold.isLasting);
    if (!hold.isLasting) return;
    this.#strike(hold);
    assert.equal(await giveBack(), false);
    await this.ledger.settleLasting(hold.id, this.#record(hold.id, hold.key, 77), 77);
    assert.equal(await this.ledger.readCharge(hold.id), undefined);
  }

  async #move(userId: number, amount: number): Promise<void> {
    this.made += 1;
    const account = this.#pencil.users.get(userId);
    assert(account !== undefined);
    const isCovered = amount >= 0 || account.balance - this.#heldBy(userId) >= -amount;
    const movement = { kind: 'adjust' as const, ref: `m${this.made}`, userId, amount, note: '' };
    const moved = await this.ledger
      .transaction((_trx, moves) => moves.post(movement))
      .then(
        () => true,
        (error: unknown) => {
          assert(error instanceof AppError && error.code === 'insufficient-balance', String(error));
          return false;
        },
      );
    assert.equal(moved, isCovered);
    if (moved) account.balance += amount;
  }

  async #limit(keyId: number, remaining: number): Promise<void> {
    const known = this.#keyOf(keyId);
    await this.ledger.transaction((_trx, moves) => moves.setKeyRemaining(keyId, known.user, remaining));
    known.remaining = remaining;
  }

  /** Restarts the ledger as after a kill: only committed changes exist. */
  async #restart(): Promise<void> {
    await this.close();
    for (const hold of this.#pencil.open.filter(({ isLasting }) => !isLasting)) {
      this.#strike(hold);
      if (hold.checkpoint !== undefined) this.#charge(hold, hold.checkpoint, this.now);
    }
    await this.open();
  }

  #charge(hold: LedgerModel['open'][number], charge: number, at: number): void {
    const known = this.#keyOf(hold.key);
    const account = this.#pencil.users.get(known.user);
    assert(account !== undefined);
    account.balance -= charge;
    account.used += charge;
    account.requests += 1;
    known.used += charge;
    if (known.limited) known.remaining -= charge;
    const day = at - (at % 86_400);
    known.days.set(day, (known.days.get(day) ?? 0) + charge);
    this.#pencil.ended.set(hold.id, charge);
  }

  async checkState(): Promise<void> {
    await this.ledger.transaction(async () => {});
    const { writer } = this.db;
    const { problems } = await verifyLedger(writer);
    assert.deepEqual(problems, []);
    for (const row of await writer.selectFrom('user_account').selectAll().execute()) {
      const held = this.#heldBy(row.user_id);
      assert.deepEqual(
        { ...row },
        { user_id: row.user_id, held, used_before: 0, ...this.#pencil.users.get(row.user_id) },
      );
      assert.equal(await this.ledger.readAvailable(row.user_id), row.balance - held);
    }
    for (const row of await writer.selectFrom('key_account').selectAll().execute()) {
      const { remaining, used, limited } = this.#keyOf(row.api_key_id);
      const held = sum(this.#pencil.open.filter((hold) => hold.key === row.api_key_id).map(({ amount }) => amount));
      assert.deepEqual({ ...row }, { api_key_id: row.api_key_id, remaining, held, used });
      const total = limited ? remaining + used : row.remaining + used;
      assert.deepEqual(await this.ledger.readBudget(0, row.api_key_id), { total, used });
    }
    for (const row of await writer.selectFrom('key_day').selectAll().execute())
      assert.equal(row.used, this.#keyOf(row.api_key_id).days.get(row.day), 'points of a day');
    await this.#auditRecords();
  }

  /** Checks that every charge has one record and counts once in the rollups. */
  async #auditRecords(): Promise<void> {
    const { writer } = this.db;
    const records = await writer.selectFrom('usage_record').selectAll().where('type', '=', 'consume').execute();
    assert.deepEqual(new Map(records.map((row) => [row.request_id, row.quota])), this.#pencil.ended);
    assert.equal(records.length, this.#pencil.ended.size);
    const total = sum([...this.#pencil.ended.values()]);
    const hours = await writer.selectFrom('usage_hour').selectAll().execute();
    assert.deepEqual(
      [sum(hours.map(({ quota }) => quota)), sum(hours.map(({ requests }) => requests))],
      [total, records.length],
    );
    const channels = await writer.selectFrom('channel_usage').selectAll().execute();
    assert.deepEqual(
      [sum(channels.map(({ used }) => used)), sum(channels.map(({ requests }) => requests))],
      [total, records.length],
    );
  }

  #keyOf(keyId: number): ModelKey {
    const known = this.#pencil.keys.get(keyId);
    assert(known !== undefined);
    return known;
  }
  #holdOf({ id, key: keyId, amount, budgets: limits }: LedgerModel['open'][number]): Hold {
    const { user: userId, limited } = this.#keyOf(keyId);
    return { requestId: id, userId, apiKeyId: keyId, limited, budgets: limits, amount };
  }
  #heldBy(userId: number): number {
    return sum(this.#pencil.open.filter((hold) => this.#keyOf(hold.key).user === userId).map(({ amount }) => amount));
  }
  #nth(nth: number): LedgerModel['open'][number] | undefined {
    return this.#pencil.open[nth % Math.max(1, this.#pencil.open.length)];
  }
  #strike(hold: LedgerModel['open'][number]): void {
    this.#pencil.open.splice(this.#pencil.open.indexOf(hold), 1);
  }
  #record(id: string, keyId: number, charge: number) {
    const record = createConsumeRecord(id, this.#keyOf(keyId).user, keyId, charge);
    return { ...record, created_at: this.now, channel_id: CHANNEL };
  }
}

function newKey(id: number): ModelKey {
  const limited = id <= 12;
  return { user: 1 + (id % 2), limited, remaining: limited ? 600 : 0, used: 0, days: new Map() };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Runs the given number of histories, the same in each run. @throws at the first difference */
export async function checkRandomHistories(runs: number): Promise<void> {
  const history = fc.array(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), {
    minLength: 4,
    maxLength: 6,
  });
  const histories = fc.sample(history, { numRuns: runs, seed: 20_260_101 });
  for (const batches of histories) {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-model-'));
    const bench = new LedgerModelTest(folder);
    await bench.open();
    try {
      await bench.openAccounts();
      for (const steps of batches) {
        for (const one of steps) await bench.applyStep(one);
        await bench.checkState();
      }
    } finally {
      await bench.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
