import type { Accounts } from './accounts.ts';
import type { Movement } from './movement.ts';
import type { UsageDetail } from './usage-detail.ts';

type Settle = Extract<Movement, { type: 'settle' }>;

/** A charge above its hold that the balance did not cover either: its record says how much is owed for it. */
export function withOverrun(accounts: Accounts, settle: Settle): Settle {
  const { hold, charge, record } = settle;
  const debt = -(accounts.user(hold.userId)?.balance ?? 0);
  if (debt <= 0 || charge <= hold.amount) return settle;
  const overrun = Math.min(debt, charge - hold.amount);
  const detail = { ...(JSON.parse(record.detail) as UsageDetail), overrun };
  return { ...settle, record: { ...record, detail: JSON.stringify(detail) } };
}
