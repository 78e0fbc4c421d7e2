import { POINTS_PER_USD, type Points, toPoints } from '@switchyard/contract/money';
import { parseNumberText } from '../../../ui/inputs/number-text.ts';

export interface QuotaDraft {
  direction: 'add' | 'deduct';
  unit: 'usd' | 'points';
  /** Typed amount, without a sign. */
  amount: string;
}

export type QuotaPlan =
  | { problem: 'empty' | 'notAnAmount' | 'tooMuch' }
  | { problem: undefined; change: Points; after: Points | undefined };

/** Returns the effect of a change on a balance, or why it cannot be made. @param balance undefined for several users */
export function planQuotaChange(
  balance: Points | undefined,
  { direction, unit, amount }: QuotaDraft,
): QuotaPlan {
  if (amount.trim() === '') return { problem: 'empty' };
  const typed = parseNumberText(amount);
  const size = Math.round(typed * (unit === 'usd' ? POINTS_PER_USD : 1));
  if (!Number.isSafeInteger(size) || size <= 0) return { problem: 'notAnAmount' };
  if (unit === 'points' && typed !== size) return { problem: 'notAnAmount' };
  if (direction === 'deduct' && balance !== undefined && size > balance) return { problem: 'tooMuch' };
  const change = direction === 'add' ? size : -size;
  const after = balance === undefined ? undefined : toPoints(balance + change);
  return { problem: undefined, change: toPoints(change), after };
}
