import Box from '@mui/material/Box';
import { MICROS, type Terms, toMajor, topUpCost } from '@switchyard/contract/billing/top-up-cost';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../../ui/format/use-format.ts';

interface CostSummaryProps {
  /** Whole USD. */
  amount: number;
  terms: Terms;
}

/** Shows the cost of an amount line by line, equal to the server's price to the last minor unit. */
export function CostSummary({ amount, terms }: CostSummaryProps) {
  const { t } = useTranslation(['top-up', 'common']);
  const format = useFormat();
  const cost = topUpCost(amount, terms);
  const { currency, discount, rate } = terms;
  return (
    <Box
      component="dl"
      aria-live="polite"
      sx={{ m: 0, display: 'grid', gap: 0.75, fontSize: '0.875rem', fontVariantNumeric: 'tabular-nums' }}
    >
      <Line name={t('youGet')}>{format.exactUsd(amount)}</Line>
      {cost.saved > 0 && (
        <Line
          name={t('discount', { off: t('common:discounted', { value: format.discount(discount / MICROS) }) })}
        >
          −{format.exactUsd(cost.saved / MICROS)}
        </Line>
      )}
      {cost.fee > 0 && <Line name={t('fee')}>{format.exactUsd(cost.fee / MICROS)}</Line>}
      {rate !== MICROS && (
        <Line name={t('rate')}>
          {t('rateOf', {
            dollar: format.exactUsd(1),
            value: `${format.number(rate / MICROS, 6)} ${currency}`,
          })}
        </Line>
      )}
      <Line name={t('toPay')} strong>
        {format.money(toMajor(cost.total, currency), currency)}
      </Line>
    </Box>
  );
}

function Line({ name, strong = false, children }: { name: string; strong?: boolean; children: ReactNode }) {
  return (
    <Box
      sx={{
        display: 'flex',
        justifyContent: 'space-between',
        alignItems: 'baseline',
        gap: 2,
        ...(strong ? { borderTop: 1, borderColor: 'divider', pt: 1, mt: 0.25 } : {}),
      }}
    >
      <Box component="dt" sx={{ color: strong ? 'text.primary' : 'text.secondary' }}>
        {name}
      </Box>
      <Box
        component="dd"
        sx={{ m: 0, fontWeight: strong ? 600 : 400, fontSize: strong ? '1.25rem' : 'inherit' }}
      >
        {children}
      </Box>
    </Box>
  );
}
