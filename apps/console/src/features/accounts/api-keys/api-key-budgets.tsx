import Box from '@mui/material/Box';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/inline-values.tsx';
import { UsageBar } from '../../../ui/display/bars.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { type BudgetUse, budgetUses, tightestBudget } from './budget-use.ts';

/** Every budget of a token: what is used, what is left, when it begins anew. */
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

/** The budget that will stop the token first, for lists. */
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
