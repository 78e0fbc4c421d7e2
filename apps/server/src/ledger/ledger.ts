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
import { createAccounts } from './accounts.ts';
import { type Budget, createBudgetReader } from './budget.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import type { Hold, Movement, NewUsageRecord } from './movement.ts';
import { createMoves, type Moves } from './moves.ts';
import { endHoldsOfEarlierProcess } from './recover.ts';

export type { NewUsageRecord } from './movement.ts';
export type { Moves } from './moves.ts';
export { type PriceRule, priceCall, priceEstimate } from './price.ts';
export type { UsageDetail } from './usage-detail.ts';
export { verifyLedger } from './verify.ts';

/** `held`: go ahead. Otherwise who is short, and of how much (points that can be spent). */
export type HoldAnswer = { held: true } | { held: false; short: 'user' | 'key'; available: number };

export interface Ledger {
  /** Reserves `amount` from the user, and from the key if it has a limit. Resolves when the hold is durable. */
  hold(hold: Hold): Promise<HoldAnswer>;
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
  /** Writes a record that moves no points. */
  record(record: NewUsageRecord): void;
  /** Runs feature writes and movements in one transaction, durable against a power cut when it resolves. */
  transaction<T>(work: (trx: Transaction<Schema>, moves: Moves) => Promise<T>): Promise<T>;
  /** Points that a user can spend now. */
  availableOf(userId: number): number;
  /** Points ever available and points used: of a key with a limit, else of the user. */
  budgetOf(userId: number, limitedKeyId: number | undefined): Budget;
  /** Requests that are on their way. */
  readonly openHolds: number;
  /** Commits what waits and stops. */
  close(): Promise<void>;
}

const RETRY_MS = 1_000;

export function openLedger(db: Database, clock: Clock, log: Log): Ledger {
  const ended = endHoldsOfEarlierProcess(db.connection);
  if (ended.settled + ended.voided > 0)
    log.warn(ended, 'ended the holds of requests that an earlier process did not finish');

  const accounts = createAccounts(db.connection);
  const commits = createGroupCommit(db);
  const open = new Map<string, Hold>();
  /** A running `transaction`. Holds wait for it: memory does not know yet what it moves. */
  let moving: Promise<unknown> | undefined;

  /** Ends a hold in memory at once and in the next commit; a decided end is tried until it is written. */
  const endHold = (hold: Hold, movement: Movement, charge: number, tried?: () => void): void => {
    accounts.reserve(hold, -1);
    accounts.spend(hold, charge);
    commits.add(movement, (error) => {
      tried?.();
      if (error === undefined) return;
      accounts.forgetAll();
      log.error(
        { err: error, request_id: hold.requestId },
        'a settlement could not be written, trying again',
      );
      setTimeout(() => endHold(hold, movement, charge), RETRY_MS);
    });
  };

  const takeOpen = (requestId: string): Hold | undefined => {
    const hold = open.get(requestId);
    open.delete(requestId);
    return hold;
  };

  return {
    async hold(hold) {
      while (moving !== undefined) await moving;
      const short = accounts.shortOf(hold);
      if (short !== undefined) return { held: false, ...short };
      accounts.reserve(hold, 1);
      await committed(commits, { type: 'hold', hold, createdAt: nowSeconds(clock) }, () =>
        accounts.forgetAll(),
      );
      open.set(hold.requestId, hold);
      return { held: true };
    },

    checkpoint(requestId, charge, record) {
      if (!open.has(requestId)) return;
      commits.add({ type: 'checkpoint', requestId, checkpoint: { charge, record } }, (error) => {
        if (error !== undefined)
          log.warn({ err: error, request_id: requestId }, 'a checkpoint was not written');
      });
    },

    async settle(requestId, charge, record) {
      const hold = takeOpen(requestId);
      if (hold === undefined) return;
      await new Promise<void>((resolve) =>
        endHold(hold, { type: 'settle', hold, charge, record }, charge, resolve),
      );
    },

    void(requestId, record) {
      const hold = takeOpen(requestId);
      if (hold !== undefined) endHold(hold, { type: 'void', hold, record }, 0);
    },

    record(record) {
      commits.add({ type: 'record', record }, (error) => {
        if (error !== undefined) log.error({ err: error }, 'a record could not be written');
      });
    },

    async transaction(work) {
      while (moving !== undefined) await moving;
      const moves = createMoves(clock);
      // What memory has decided is written first, so that the transaction sees it.
      const running = commits
        .flushed()
        .then(() => db.writer.transaction().execute(async (trx) => work(trx, moves.within(trx))));
      const forget = (): void => {
        for (const userId of moves.users) accounts.forgetUser(userId);
        for (const keyId of moves.keys) accounts.forgetKey(keyId);
        moving = undefined;
      };
      moving = running.catch(() => {}).then(() => commits.flushed(forget));
      const result = await running;
      await moving;
      await commits.sync();
      return result;
    },

    availableOf(userId) {
      const account = accounts.user(userId);
      return account === undefined ? 0 : account.balance - account.held;
    },

    budgetOf: createBudgetReader(db.connection),

    get openHolds() {
      return open.size;
    },

    async close() {
      await moving;
      await commits.flushed();
      await commits.sync();
      commits.close();
    },
  };
}

function committed(commits: GroupCommit, movement: Movement, onFailure: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    commits.add(movement, (error) => {
      if (error === undefined) return resolve();
      onFailure();
      reject(error);
    });
  });
}
