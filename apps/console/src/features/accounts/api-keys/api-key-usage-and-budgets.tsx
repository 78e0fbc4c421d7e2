import Box from '@mui/material/Box';
import type { ApiKey, VisibleApiKey } from '@switchyard/contract/accounts/api-keys';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { UsageBar } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Shows the points that a token has spent and has left. */
export function ApiKeyUsage({ apiKey }: { apiKey: VisibleApiKey }) {
  const { t } = useTranslation('api-keys');
  const format = useFormat();
  const used = format.points(apiKey.used_quota);
  if (apiKey.unlimited_quota) return t('usedUnlimited', { used });
  return (
    <UsageBar
      used={apiKey.used_quota}
      left={apiKey.remain_quota}
      label={t('usedOf', { used, left: format.points(apiKey.remain_quota) })}
    />
  );
}

/** Shows every budget of a token with its use and its next reset. */
export function ApiKeyBudgets({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const uses = budgetUses(apiKey);
  if (uses.length === 0) return t('none');
  return (
    <Box component="span" sx={{ display: 'grid', gap: 1 }}>
      {uses.map((use) => (
        <span key={use.period}>
          <BudgetBar use={use} />{' '}
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {t('resets')} <Moment seconds={use.resetsAt} />
          </Box>
        </span>
      ))}
    </Box>
  );
}

/** Shows the budget that is used up the most, for lists. */
export function TightestBudget({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation('api-keys');
  const use = tightestBudget(budgetUses(apiKey));
  return use === undefined ? t('none') : <BudgetBar use={use} />;
}

function BudgetBar({ use: { period, used, left } }: { use: BudgetUse }) {
  const { t } = useTranslation('api-keys');
  const format = useFormat();
  const label = t('budgetOf', {
    period: t(`budgetPeriod.${period}`),
    used: format.points(used),
    left: format.points(left),
  });
  return <UsageBar used={used} left={left} label={label} />;
}

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

interface BudgetUse {
  period: BudgetPeriod;
  /** Points. */
  used: number;
  left: number;
  /** UTC seconds. */
  resetsAt: number;
}

/** Returns the budgets of a token with their use; `left` is never negative. */
export function budgetUses({ setting, spent }: ApiKey): BudgetUse[] {
  return BUDGET_PERIODS.flatMap((period) => {
    const budget = setting.limits.budgets[period];
    if (budget === null) return [];
    const { used, resets_at } = spent[period];
    return [{ period, used, left: Math.max(0, budget - used), resetsAt: resets_at }];
  });
}

/** Returns the budget with the highest used share. */
export function tightestBudget(uses: readonly BudgetUse[]): BudgetUse | undefined {
  const share = ({ used, left }: BudgetUse) => (used + left === 0 ? 1 : used / (used + left));
  return uses.reduce<BudgetUse | undefined>(
    (tightest, use) => (tightest === undefined || share(use) > share(tightest) ? use : tightest),
    undefined,
  );
}
