import type { ApiKey } from '@switchyard/contract/accounts/api-keys';

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export interface BudgetUse {
  period: BudgetPeriod;
  /** Points; `left` is never negative. */
  used: number;
  left: number;
  /** UTC seconds. */
  resetsAt: number;
}

/** The budgets that a token has, with what is used of each. */
export function budgetUses({ setting, spent }: ApiKey): BudgetUse[] {
  return BUDGET_PERIODS.flatMap((period) => {
    const budget = setting.limits.budgets[period];
    if (budget === null) return [];
    const { used, resets_at } = spent[period];
    return [{ period, used, left: Math.max(0, budget - used), resetsAt: resets_at }];
  });
}

/** The budget that will stop the token first, by share. */
export function tightestBudget(uses: readonly BudgetUse[]): BudgetUse | undefined {
  const share = ({ used, left }: BudgetUse) => (used + left === 0 ? 1 : used / (used + left));
  return uses.reduce<BudgetUse | undefined>(
    (tightest, use) => (tightest === undefined || share(use) > share(tightest) ? use : tightest),
    undefined,
  );
}
