/** Simple model of the ledger, calculated in another way than the ledger does. */
import type { Budgets, HoldResult } from '../../apps/server/src/ledger/ledger.ts';

export interface ModelKey {
  user: number;
  limited: boolean;
  remaining: number;
  used: number;
  /** Points by the start of a day, UTC seconds. */
  days: Map<number, number>;
}

interface ModelHold {
  id: string;
  key: number;
  amount: number;
  budgets: Budgets | undefined;
  /** Points; undefined if the hold does not exist. */
  checkpoint: number | undefined;
  /** Whether the hold outlived its request. */
  isLasting: boolean;
}

export interface LedgerModel {
  users: Map<number, { balance: number; used: number; requests: number }>;
  keys: Map<number, ModelKey>;
  open: ModelHold[];
  /** Points by request. */
  ended: Map<string, number>;
}

export function placeModelHold(
  pencil: LedgerModel,
  { key: keyId, amount, budgets }: { key: number; amount: number; budgets: Budgets | undefined },
  now: number,
): HoldResult {
  const key = pencil.keys.get(keyId);
  if (key === undefined) throw new Error(`there is no key ${keyId}`);
  let heldByUser = 0;
  let heldByKey = 0;
  for (const hold of pencil.open) {
    if (pencil.keys.get(hold.key)?.user === key.user) heldByUser += hold.amount;
    if (hold.key === keyId) heldByKey += hold.amount;
  }
  const ofUser = (pencil.users.get(key.user)?.balance ?? 0) - heldByUser;
  if (ofUser < amount) return { held: false, short: 'user', available: ofUser };
  const ofKey = key.remaining - heldByKey;
  if (key.limited && ofKey < amount) return { held: false, short: 'key', available: ofKey };
  for (const period of ['day', 'week', 'month'] as const) {
    const budget = budgets?.[period] ?? null;
    if (budget === null) continue;
    const [start, end] = getPeriodBounds(period, now);
    let used = 0;
    for (const [day, points] of key.days) if (day >= start) used += points;
    const available = budget - used - heldByKey;
    if (available < amount) return { held: false, short: period, available, resetsAt: end };
  }
  return { held: true };
}

function getPeriodBounds(period: 'day' | 'week' | 'month', now: number): [start: number, end: number] {
  const date = new Date(now * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const at = (m: number, d: number): number => Date.UTC(year, m, d) / 1000;
  if (period === 'day') return [at(month, day), at(month, day + 1)];
  if (period === 'month') return [at(month, 1), at(month + 1, 1)];
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return [at(month, day - sinceMonday), at(month, day - sinceMonday + 7)];
}
