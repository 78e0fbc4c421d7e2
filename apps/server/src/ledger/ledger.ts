/**
 * Ledger of quota, and the only code that writes its tables. Points are whole numbers.
 *
 * Every relayed request takes a durable hold before the upstream is called, and ends it by exactly one settle (with the
 * usage record, in the same transaction) or void. Everything else that changes a balance goes through `transaction`.
 * Ledger entries are never changed; a balance is their sum.
 */
import type { Database } from '../db/open-database.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Ledger } from './ledger-interface.ts';
import { openSharedLedger } from './multi-node/shared-ledger.ts';
import { openSingleNodeLedger } from './single-node-ledger.ts';

export { getPeriodEnd, getPeriodStart, PERIODS } from './budgets/period-usage.ts';
export { copyUnwrittenSettlements, hasUnwrittenSettlements } from './commit/outbox.ts';
export { toUnavailable } from './commit/storage-failure.ts';
export { isLocalCharge } from './import-balances.ts';
export type { Shortage } from './ledger-accounts.ts';
export type { HoldResult, Ledger } from './ledger-interface.ts';
export type { Budgets, Hold, IdempotencyKey, NewUsageRecord } from './ledger-write-types.ts';
export { emptyRecord } from './ledger-write-types.ts';
export { readWrittenCharge } from './multi-node/late-charge.ts';
export type { Postings } from './postings.ts';
export {
  findDearestCounter,
  findDearestVariant,
  findMinimumUnit,
  hasImageRate,
  isAnyTokenPriced,
  type PriceRule,
  priceCall,
  priceEstimate,
  RATIO_ONE,
  type Ratios,
  resolveTokenRate,
} from './price-call.ts';
export { assignHoldsToDeadNode, detachHoldsFromNodes } from './reassign-holds-after-copy.ts';
export type { StoredAttempt, UsageDetail, Verdict, VerdictReason } from './usage-record-detail.ts';
export { createReceipt } from './verify/charge-receipt.ts';
export { findNewDiscrepancies, type LedgerDiscrepancy } from './verify/discrepancies.ts';
export { verifyLedger } from './verify/verify.ts';
export { verifyReceipts } from './verify/verify-charge-receipts.ts';

/**
 * Opens the ledger of a single node with a SQLite file, or of several nodes on a PostgreSQL database. Ends the holds
 * of a dead process.
 * @param dataDir folder of this node for settlements that it cannot write while PostgreSQL is unreachable or the disk
 * is full
 */
export async function openLedger(db: Database, clock: Clock, log: Log, dataDir: string): Promise<Ledger> {
  const { engine } = db;
  return engine.kind === 'sqlite'
    ? openSingleNodeLedger(db, engine, clock, log, dataDir)
    : openSharedLedger(db, engine, clock, log, dataDir);
}
export { findUnratedCounters, hasMediaOutput, type UnratedCounter } from './unrated-counters.ts';
