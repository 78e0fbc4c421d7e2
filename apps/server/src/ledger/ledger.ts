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
import { createGroupCommit } from './group-commit.ts';
import type { Hold, NewUsageRecord } from './movement.ts';
import { createMoves, type Moves } from './moves.ts';
import { releaseHoldsOfEarlierProcess } from './recover.ts';

export type { Hold, NewUsageRecord } from './movement.ts';
export type { Moves } from './moves.ts';
export { type LedgerReport, verifyLedger } from './verify.ts';

/** `held`: go ahead. Otherwise who is short, and of how much (points that can be spent). */
export type HoldAnswer = { held: true } | { held: false; short: 'user' | 'key'; available: number };

export interface Ledger {
  /** Reserves `amount` from the user, and from the key if it has a limit. Resolves when the hold is durable. */
  hold(hold: Hold): Promise<HoldAnswer>;
  /** Charges for a held request; what exceeds the hold is taken too and may leave a debt. A second call does nothing. */
  settle(requestId: string, charge: number, record: NewUsageRecord): void;
  /** Gives the hold back. A second call, or one after a settle, does nothing. */
  void(requestId: string, record?: NewUsageRecord): void;
  /** Writes a record that moves no points. */
  record(record: NewUsageRecord): void;
  /** Runs feature writes and movements in one transaction, durable against a power cut when it resolves. */
  transaction<T>(work: (trx: Transaction<Schema>, moves: Moves) => Promise<T>): Promise<T>;
  /** Points that a user can spend now. */
  availableOf(userId: number): number;
  /** Requests that are on their way. */
  readonly openHolds: number;
  /** Commits what waits and stops. */
  close(): Promise<void>;
}

const SETTLE_RETRY_MS = 1_000;

export function openLedger(db: Database, clock: Clock, log: Log): Ledger {
  const released = releaseHoldsOfEarlierProcess(db.connection);
  if (released > 0)
    log.warn({ holds: released }, 'released the holds of requests that an earlier process did not finish');

  const accounts = createAccounts(db.connection);
  const commits = createGroupCommit(db);
  const open = new Map<string, Hold>();
  let moving: Promise<unknown> | undefined;

  const reserve = (hold: Hold, direction: 1 | -1): void => {
    const user = accounts.user(hold.userId);
    if (user !== undefined) user.held += direction * hold.amount;
    if (!hold.limited || hold.apiKeyId === null) return;
    const key = accounts.key(hold.apiKeyId);
    if (key !== undefined) key.held += direction * hold.amount;
  };

  const spend = (hold: Hold, charge: number): void => {
    const user = accounts.user(hold.userId);
    if (user !== undefined) user.balance -= charge;
    if (!hold.limited || hold.apiKeyId === null) return;
    const key = accounts.key(hold.apiKeyId);
    if (key !== undefined) key.remaining -= charge;
  };

  const settleHold = (hold: Hold, charge: number, record: NewUsageRecord): void => {
    reserve(hold, -1);
    spend(hold, charge);
    commits.add({ type: 'settle', hold, charge, record }, (error) => {
      if (error !== undefined) tryAgain('settlement', error, () => settleHold(hold, charge, record));
    });
  };

  const voidHold = (hold: Hold, record: NewUsageRecord | undefined): void => {
    reserve(hold, -1);
    commits.add({ type: 'void', hold, record }, (error) => {
      if (error !== undefined) tryAgain('release', error, () => voidHold(hold, record));
    });
  };

  /** The rows say what is true when a commit failed; decided settlements are kept and tried until they succeed. */
  const tryAgain = (what: string, error: unknown, work: () => void): void => {
    accounts.forgetAll();
    log.error({ err: error }, `a ${what} could not be written, trying again`);
    setTimeout(work, SETTLE_RETRY_MS);
  };

  return {
    async hold(hold) {
      while (moving !== undefined) await moving;
      const short = shortOf(
        hold,
        accounts.user(hold.userId),
        hold.limited && hold.apiKeyId !== null ? accounts.key(hold.apiKeyId) : undefined,
      );
      if (short !== undefined) return short;
      reserve(hold, 1);
      await new Promise<void>((resolve, reject) => {
        commits.add({ type: 'hold', hold, createdAt: nowSeconds(clock) }, (error) => {
          if (error === undefined) return resolve();
          accounts.forgetAll();
          reject(error);
        });
      });
      open.set(hold.requestId, hold);
      return { held: true };
    },

    settle(requestId, charge, record) {
      const hold = open.get(requestId);
      if (hold === undefined) return;
      open.delete(requestId);
      settleHold(hold, charge, record);
    },

    void(requestId, record) {
      const hold = open.get(requestId);
      if (hold === undefined) return;
      open.delete(requestId);
      voidHold(hold, record);
    },

    record(record) {
      commits.add({ type: 'record', record }, (error) => {
        if (error !== undefined) log.error({ err: error }, 'a record could not be written');
      });
    },

    async transaction(work) {
      while (moving !== undefined) await moving;
      const moves = createMoves(clock);
      const running = db.writer.transaction().execute(async (trx) => work(trx, moves.within(trx)));
      // Holds wait meanwhile: they are decided in memory, which does not know yet what this transaction moves.
      moving = running
        .catch(() => {})
        .then(() => {
          commits.flush();
          for (const userId of moves.users) accounts.forgetUser(userId);
          for (const keyId of moves.keys) accounts.forgetKey(keyId);
          moving = undefined;
        });
      const result = await running;
      await moving;
      await commits.sync();
      return result;
    },

    availableOf(userId) {
      const account = accounts.user(userId);
      return account === undefined ? 0 : account.balance - account.held;
    },

    get openHolds() {
      return open.size;
    },

    async close() {
      await moving;
      commits.flush();
      await commits.sync();
      commits.close();
    },
  };
}

function shortOf(
  hold: Hold,
  user: { balance: number; held: number } | undefined,
  key: { remaining: number; held: number } | undefined,
): HoldAnswer | undefined {
  const userAvailable = user === undefined ? 0 : user.balance - user.held;
  if (user === undefined || userAvailable < hold.amount)
    return { held: false, short: 'user', available: userAvailable };
  if (!hold.limited) return undefined;
  const keyAvailable = key === undefined ? 0 : key.remaining - key.held;
  return key === undefined || keyAvailable < hold.amount
    ? { held: false, short: 'key', available: keyAvailable }
    : undefined;
}
