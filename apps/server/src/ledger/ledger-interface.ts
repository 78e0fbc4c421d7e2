import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Period } from './budgets/period-usage.ts';
import type { Budget } from './budgets/read-budgets-and-charges.ts';
import type { CommitObserver } from './commit/group-commit.ts';
import type { Shortage } from './ledger-accounts.ts';
import type { Hold, NewUsageRecord } from './ledger-write-types.ts';
import type { Postings } from './postings.ts';

/** `held: true` admits the request. Otherwise the result names the reached limit and what is left of it. */
export type HoldResult = { held: true } | ({ held: false } & Shortage);

/** Charged points with their record. */
export interface SettledCharge {
  charge: number;
  record: NewUsageRecord;
}

export interface Ledger {
  /**
   * Reserves `amount` from the user, and from the key's quota and budgets, if any: from all or from none. For a
   * request that already has a hold, reserves only the difference. A hold with `isOwed` always fits. Resolves when the
   * hold is durable.
   * @throws AppError `unavailable` when the storage fails; nothing is held then
   */
  hold(hold: Hold): Promise<HoldResult>;
  /** Resolves with the limit that would refuse this hold now; undefined if it fits. */
  findShortage(hold: Hold): Promise<Shortage | undefined>;
  /**
   * Records the cost so far of a held request, with the next commit. If the process dies, the next one settles the
   * request with it. Does nothing after the request's end.
   */
  checkpoint(requestId: string, charge: number, record: NewUsageRecord): void;
  /**
   * Charges for a held request; an excess over the hold is charged too and may leave a debt. A second call does
   * nothing. Resolves when the charge is committed, and also when the commit fails: the charge is decided, and is
   * retried until it is written.
   * @param isReceived false if no client has received all that is charged: another node that has ended the hold then
   * prevents the charge
   */
  settle(requestId: string, charge: number, record: NewUsageRecord, isReceived?: boolean): Promise<void>;
  /** Releases the hold. Does nothing on a second call, or after a settle. */
  release(requestId: string, record?: NewUsageRecord): void;
  /**
   * Ends a lasting hold, which `settle` and `release` don't do: charges for it, or releases it without a charge. A
   * second call moves no points. Resolves like `settle`.
   * @param ordered charged instead if balance and key do not cover the excess of the charge over the hold
   * @returns the charged points, by whichever call ended the hold; undefined when it was released
   */
  settleLasting(
    requestId: string,
    record: NewUsageRecord,
    charge?: number,
    ordered?: SettledCharge,
  ): Promise<number | undefined>;
  /**
   * Makes a lasting hold end with its request, by `settle` or `release`. If the process dies before, it stays a
   * lasting hold.
   */
  resume(requestId: string): Promise<void>;
  /** Writes a record that moves no points. */
  record(record: NewUsageRecord): void;
  /** Runs feature writes and postings in one transaction, durable against a power cut when it resolves. */
  transaction<T>(work: (trx: Transaction<Schema>, moves: Postings) => Promise<T>): Promise<T>;
  /** Points that a user can spend now. */
  readAvailable(userId: number): Promise<number>;
  /** Reads the total points and the used points: of a key with a limit, else of the user. */
  readBudget(userId: number, limitedKeyId: number | undefined): Promise<Budget>;
  /** Returns the points that a channel has cost the operator in the current day or month, UTC. */
  getChannelSpend(channelId: number, period: Period): number;
  /** Reads the points that a request was charged; undefined when it was not settled. */
  readCharge(requestId: string): Promise<number | undefined>;
  /** Number of holds of running requests, without lasting ones. */
  readonly openHolds: number;
  state(): LedgerState;
  /** Sets the single observer of later events. */
  observe(watch: LedgerObserver): void;
  /**
   * Confirms that the holds of this node are still valid, before more is delivered. Returns undefined unless this
   * node was silent for so long that other nodes may have ended them; then resolves once the database was asked,
   * after the `onLeaseLost` callback if the lease was lost.
   */
  confirmHolds(): Promise<void> | undefined;
  /**
   * Registers a callback for the loss of the lease: other nodes have ended this node's holds, so its running requests
   * deliver without a reservation and must stop. What they delivered is charged anyway.
   */
  onLeaseLost(callback: () => void): void;
  /** Commits pending writes and stops. */
  close(): Promise<void>;
}

/** Current state of the ledger. */
export interface LedgerState {
  /** Number of lasting holds, for instance of tasks. */
  lasting: number;
  /** Time of the oldest hold of a running request, UTC ms; undefined without one. */
  oldestAt: number | undefined;
  /** Number of writes that wait for the next commit. */
  waiting: number;
}

/** Observer that is notified after each event. It must not throw. */
export interface LedgerObserver extends CommitObserver {
  charged(charge: number, record: NewUsageRecord): void;
}
