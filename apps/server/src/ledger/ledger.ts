/**
 * Where quota moves, and the only code that writes its tables. Points are whole numbers.
 *
 * Every relayed request takes a durable hold before the upstream is called, and ends it by exactly one settle
 * (with the usage record, in the same transaction) or void. Everything else that changes a balance goes through
 * `transaction`. The ledger's entries are never changed; a balance is their sum.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/db.ts';
import type { Schema } from '../db/schema.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { createAccounts, type Shortage } from './accounts.ts';
import { type Budget, createBudgetReader, createChargeReader } from './budget.ts';
import { createGroupCommit } from './group-commit.ts';
import { createHoldEnds } from './hold-ends.ts';
import type { Hold, Movement, NewUsageRecord } from './movement.ts';
import type { Moves } from './moves.ts';
import { createOpenHolds } from './open-holds.ts';
import type { Period } from './periods.ts';
import { endHoldsOfEarlierProcess } from './recover.ts';
import { unavailableWhenStorageFails } from './storage-failure.ts';
import { createTransactions } from './transactions.ts';

export type { Shortage } from './accounts.ts';
export type { Budgets, Hold, NewUsageRecord } from './movement.ts';
export { blankRecord } from './movement.ts';
export type { Moves } from './moves.ts';
export { endOf, PERIODS, startOf } from './periods.ts';
export { type PriceRule, priceCall, priceEstimate, RATIO_ONE, type Ratios, rateOf } from './price.ts';
export { receiptOf } from './receipt.ts';
export { unavailableWhenStorageFails } from './storage-failure.ts';
export type { StoredAttempt, UsageDetail, Verdict, VerdictReason } from './usage-detail.ts';
export { verifyLedger } from './verify.ts';
export { verifyReceipts } from './verify-receipts.ts';

/** `held`: go ahead. Otherwise which limit was hit, and what is left of it. */
export type HoldAnswer = { held: true } | ({ held: false } & Shortage);

export interface Ledger {
  /**
   * Reserves `amount` from the user, and from the key's quota and budgets, if it has any: from all or from none. For a
   * request that is held already, only what is missing. Resolves when the hold is durable.
   * @throws AppError `unavailable` when the storage fails; nothing is held then
   */
  hold(hold: Hold): Promise<HoldAnswer>;
  /** What would refuse this hold now; undefined when it fits. */
  shortOf(hold: Hold): Shortage | undefined;
  /**
   * Notes what a held request has cost so far, with the next commit. Should the process die, the next one settles the
   * request with it. After the request's end it does nothing.
   */
  checkpoint(requestId: string, charge: number, record: NewUsageRecord): void;
  /**
   * Charges for a held request; what exceeds the hold is taken too and may leave a debt. A second call does nothing.
   * Resolves when the charge is committed. Should the commit fail, it resolves as well: the charge is decided, and is
   * tried again until it is written.
   */
  settle(requestId: string, charge: number, record: NewUsageRecord): Promise<void>;
  /** Gives the hold back. A second call, or one after a settle, does nothing. */
  void(requestId: string, record?: NewUsageRecord): void;
  /**
   * Ends a hold that outlived its request, which no `settle` or `void` does: charges for it, or gives it back where
   * there is no charge. A second call does nothing. Resolves like `settle`.
   */
  endLasting(requestId: string, record: NewUsageRecord, charge?: number): Promise<void>;
  /**
   * The request of a lasting hold runs now: `settle` or `void` ends it. Should the process die before, the hold lasts on.
   */
  resume(requestId: string): void;
  /** Writes a record that moves no points. */
  record(record: NewUsageRecord): void;
  /** Runs feature writes and movements in one transaction, durable against a power cut when it resolves. */
  transaction<T>(work: (trx: Transaction<Schema>, moves: Moves) => Promise<T>): Promise<T>;
  /** Points that a user can spend now. */
  availableOf(userId: number): number;
  /** Points ever available and points used: of a key with a limit, else of the user. */
  budgetOf(userId: number, limitedKeyId: number | undefined): Budget;
  /** Points that a channel has cost the operator in the current day or month, UTC. */
  spentOn(channelId: number, period: Period): number;
  /** Points that a request was charged; undefined when it was not settled. */
  chargeOf(requestId: string): number | undefined;
  /** Requests that are on their way, without those that outlived theirs. */
  readonly openHolds: number;
  /** Commits what waits and stops. */
  close(): Promise<void>;
}

export function openLedger(db: Database, clock: Clock, log: Log): Ledger {
  const accounts = createAccounts(db.connection, clock);
  const ended = endHoldsOfEarlierProcess(db.connection, accounts, nowSeconds(clock));
  if (ended.settled + ended.voided > 0)
    log.warn(ended, 'ended the holds of requests that an earlier process did not finish');

  const commits = createGroupCommit(db);
  const open = createOpenHolds(db.connection);
  const transactions = createTransactions(db, clock, commits, accounts, open);
  const ends = createHoldEnds(accounts, commits, log);
  const readCharge = createChargeReader(db.connection);

  /** @throws AppError `unavailable` when the storage fails, after `undo` */
  const written = (movement: Movement, undo: (error: Error) => void): Promise<void> =>
    new Promise((resolve, reject) =>
      commits.add(movement, (error) => {
        if (error === undefined) return resolve();
        undo(error);
        reject(unavailableWhenStorageFails(error));
      }),
    );
  const holdFirst = async (hold: Hold): Promise<HoldAnswer> => {
    const short = accounts.shortOf(hold);
    if (short !== undefined) return { held: false, ...short };
    accounts.reserve(hold, 1);
    await written({ type: 'hold', hold, createdAt: nowSeconds(clock) }, (error) => ends.undo(hold, error));
    open.set(hold);
    return { held: true };
  };
  const raise = async (hold: Hold): Promise<HoldAnswer> => {
    const before = open.get(hold.requestId);
    if (before === undefined || hold.amount <= before.amount) return { held: true };
    const more = { ...hold, amount: hold.amount - before.amount };
    const short = accounts.shortOf(more);
    if (short !== undefined) return { held: false, ...short };
    accounts.reserve(more, 1);
    open.set(hold);
    await written({ type: 'raise', hold, by: more.amount }, () => {
      if (open.take(hold.requestId, hold.lasting) !== undefined) ends.abandon(hold);
    });
    return { held: true };
  };
  const addOrLog = (movement: Movement, what: string): void =>
    commits.add(movement, (error) => {
      if (error !== undefined) log.error({ err: error }, `${what} could not be written`);
    });

  const settle = async (hold: Hold | undefined, charge: number, record: NewUsageRecord): Promise<void> => {
    if (hold === undefined) return;
    accounts.channels.add(record);
    await new Promise<void>((resolve) => ends.end({ type: 'settle', hold, charge, record }, resolve));
  };

  return {
    async hold(hold) {
      const isHeld = open.get(hold.requestId) !== undefined;
      while (transactions.running !== undefined) await transactions.running;
      return isHeld ? raise(hold) : holdFirst(hold);
    },

    shortOf: (hold) => accounts.shortOf(hold),

    checkpoint(requestId, charge, record) {
      if (open.get(requestId) !== undefined)
        addOrLog({ type: 'checkpoint', requestId, checkpoint: { charge, record } }, 'a checkpoint');
    },

    settle: (requestId, charge, record) => settle(open.take(requestId), charge, record),

    void(requestId, record) {
      const hold = open.take(requestId);
      if (hold !== undefined) ends.end({ type: 'void', hold, record });
    },

    async endLasting(requestId, record, charge) {
      const hold = open.take(requestId, true);
      if (charge !== undefined) return settle(hold, charge, record);
      if (hold === undefined) return;
      await new Promise<void>((resolve) => ends.end({ type: 'void', hold, record }, resolve));
    },

    resume: (requestId) => open.resume(requestId),
    record: (record) => addOrLog({ type: 'record', record }, 'a record'),
    transaction: (work) => transactions.run(work),

    availableOf: (userId) => accounts.availableOf(userId),
    budgetOf: createBudgetReader(db.connection),
    spentOn: (channelId, period) => accounts.channels.usedIn(channelId, period),
    chargeOf: (requestId) => ends.unwrittenCharge(requestId) ?? readCharge(requestId),

    get openHolds() {
      return open.running;
    },

    async close() {
      await transactions.running;
      ends.close();
      await commits.flushed();
      await commits.sync();
      await commits.close();
    },
  };
}
