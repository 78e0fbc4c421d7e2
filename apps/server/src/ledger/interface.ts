import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Budget } from './budgets/budget.ts';
import type { Period } from './budgets/period-usage.ts';
import type { CommitObserver } from './commit/group-commit.ts';
import type { Shortage } from './ledger-accounts.ts';
import type { Hold, NewUsageRecord } from './ledger-write.ts';
import type { Postings } from './postings.ts';

/** `held`: go ahead. Otherwise which limit was hit, and what is left of it. */
export type HoldResult = { held: true } | ({ held: false } & Shortage);

/** Points that are charged, and the record of it. */
export interface SettledCharge {
  charge: number;
  record: NewUsageRecord;
}

export interface Ledger {
  /**
   * Reserves `amount` from the user, and from the key's quota and budgets, if it has any: from all or from none. For a
   * request that is held already, only what is missing. Resolves when the hold is durable.
   * @throws AppError `unavailable` when the storage fails; nothing is held then
   */
  hold(hold: Hold): Promise<HoldResult>;
  /** Resolves with the limit that would refuse this hold now; undefined if it fits. */
  findShortage(hold: Hold): Promise<Shortage | undefined>;
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
  release(requestId: string, record?: NewUsageRecord): void;
  /**
   * Ends a hold that outlived its request, which no `settle` or `void` does: charges for it, or gives it back where
   * there is no charge. A second call moves no points. Resolves like `settle`.
   * @param ordered is charged instead, where balance and key do not cover what the charge exceeds the hold by
   * @returns points that were charged, by whichever call ended the hold; undefined when it was given back
   */
  settleLasting(
    requestId: string,
    record: NewUsageRecord,
    charge?: number,
    ordered?: SettledCharge,
  ): Promise<number | undefined>;
  /**
   * The request of a lasting hold runs now: `settle` or `void` ends it. Should the process die before, the hold lasts on.
   */
  resume(requestId: string): Promise<void>;
  /** Writes a record that moves no points. */
  record(record: NewUsageRecord): void;
  /** Runs feature writes and movements in one transaction, durable against a power cut when it resolves. */
  transaction<T>(work: (trx: Transaction<Schema>, moves: Postings) => Promise<T>): Promise<T>;
  /** Points that a user can spend now. */
  readAvailable(userId: number): Promise<number>;
  /** Points ever available and points used: of a key with a limit, else of the user. */
  readBudget(userId: number, limitedKeyId: number | undefined): Promise<Budget>;
  /** Points that a channel has cost the operator in the current day or month, UTC. */
  getChannelSpend(channelId: number, period: Period): number;
  /** Points that a request was charged; undefined when it was not settled. */
  readCharge(requestId: string): Promise<number | undefined>;
  /** Requests that are on their way, without those that outlived theirs. */
  readonly openHolds: number;
  state(): LedgerState;
  /** One watch, which is told of what happens from now on. */
  observe(watch: LedgerObserver): void;
  /**
   * Confirms, before more is delivered, that the holds of this node stand. Undefined unless it was silent for so long that
   * other nodes may have ended them; then resolves once the database was asked, after `whenGivenUp` was called back.
   */
  confirmHolds(): Promise<void> | undefined;
  /**
   * Calls back when the other nodes took this one for dead and have ended its holds: what runs delivers without a
   * reservation, and must end. What it delivered is charged all the same.
   */
  onLeaseLost(callback: () => void): void;
  /** Commits what waits and stops. */
  close(): Promise<void>;
}

/** Current state of the ledger. */
export interface LedgerState {
  /** Holds that outlived their requests: of tasks and the like. */
  lasting: number;
  /** When the oldest of the requests on their way was held, UTC ms; undefined when there is none. */
  oldestAt: number | undefined;
  /** Movements that wait for the next commit. */
  waiting: number;
}

/** Told of what happened, after it did. Must not throw. */
export interface LedgerObserver extends CommitObserver {
  charged(charge: number, record: NewUsageRecord): void;
}
