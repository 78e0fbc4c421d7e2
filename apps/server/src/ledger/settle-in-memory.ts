import type { Accounts } from './ledger-accounts.ts';
import type { Hold, HoldSettlement, LateCharge } from './ledger-write-types.ts';
import type { UsageDetail } from './usage-record-detail.ts';

const LATE_SECONDS = 300;

type Charge = Extract<HoldSettlement, { type: 'settle' }> | LateCharge;

/** Releases a hold, and takes its charge, in memory. @returns the settlement to write */
export function settleInMemory(accounts: Accounts, end: HoldSettlement): HoldSettlement {
  accounts.reserve(end.hold, -1);
  return end.type === 'void' ? end : chargeInMemory(accounts, end);
}

/** Takes a charge in memory. @returns the charge to write */
export function chargeInMemory<C extends Charge>(accounts: Accounts, charge: C): C {
  accounts.spend(charge.hold, charge.charge, charge.record.created_at);
  return recordOverdraft(accounts, charge);
}

/** Returns the excess of a charge over its hold, as a separate hold; undefined when the hold covers the charge. */
export function createExcessHold(hold: Hold, charge = 0): Hold | undefined {
  return charge > hold.amount ? { ...hold, amount: charge - hold.amount } : undefined;
}

/** Adds the overdraft to the record of a charge that neither hold nor balance covers. */
function recordOverdraft<C extends Charge>(accounts: Accounts, settle: C): C {
  const { hold, charge, record } = settle;
  const debt = -(accounts.user(hold.userId)?.balance ?? 0);
  if (debt <= 0 || charge <= hold.amount) return settle;
  const overrun = Math.min(debt, charge - hold.amount);
  const detail = { ...(JSON.parse(record.detail) as UsageDetail), overrun };
  return { ...settle, record: { ...record, detail: JSON.stringify(detail) } };
}

/**
 * Returns the settlement with its record dated now if it waited too long for the database: the rollup of its own hour
 * may already exist.
 */
export function redateIfLate(end: HoldSettlement, now: number): HoldSettlement {
  if (end.record === undefined || end.record.created_at > now - LATE_SECONDS) return end;
  return { ...end, record: { ...end.record, created_at: now } };
}
