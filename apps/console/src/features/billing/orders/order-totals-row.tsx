import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import type { OrderTotals } from './queries.ts';

/** Sums over everything that the active filter matches, for each currency by itself: they cannot be added up. */
export function OrderTotalsRow({ totals }: { totals: OrderTotals | undefined }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  return totals?.map(({ currency, orders, paid, paid_amount, refunded_amount }) => (
    <span key={currency}>
      <Box component="span" sx={{ color: 'text.secondary', mr: 0.5 }}>
        {t('totals.paid', { paid: format.number(paid), orders: format.number(orders) })}
      </Box>
      <Box component="span" sx={{ fontWeight: 500 }}>
        {format.money(paid_amount, currency)}
      </Box>
      {refunded_amount > 0 && (
        <Box component="span" sx={{ color: 'text.secondary', ml: 0.5 }}>
          {t('totals.refunded', { amount: format.money(refunded_amount, currency) })}
        </Box>
      )}
    </span>
  ));
}
