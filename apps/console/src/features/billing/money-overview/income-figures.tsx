import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Figure } from '../../../ui/charts/figure.tsx';
import { relativeChange } from '../../../ui/charts/relative-change.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useMay } from '../../accounts/session/queries.ts';
import type { FiguresProps } from './figures-props.ts';

/** Shows the income in each currency. */
export function IncomeFigures({ current, before, span }: FiguresProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const toOrders = useMay('orders.read') ? { to: paths.orders } : {};
  if (current.income.length === 0)
    return <Figure label={t('noIncome')} value={format.number(0)} {...toOrders} search={span} />;
  return current.income.map(({ currency, income, refunds, fees, orders }) => {
    const earlier = before?.income.find((one) => one.currency === currency)?.income;
    return (
      <Figure
        key={currency}
        label={t('income', { currency })}
        value={format.money(income, currency)}
        change={relativeChange(income, earlier)}
        moreIsWorse={false}
        note={t('incomeNote', {
          count: orders,
          refunds: format.money(refunds, currency),
          fees: format.usd(fees),
        })}
        {...toOrders}
        search={span}
      />
    );
  });
}
