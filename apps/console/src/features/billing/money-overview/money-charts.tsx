import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { daysOf, type Period } from './periods.ts';
import { incomeQuery, type Sales, salesQuery } from './queries.ts';

/** Shows the charges, the cost and the margin by day. */
export function SalesChart({ period }: { period: Period }) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const { data, error, refetch, dataUpdatedAt } = useQuery(salesQuery(period, 'day'));
  const days = daysOf(period, new Date(dataUpdatedAt));
  const labels = useDayLabels(days);
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={300} />;
  const byDay = new Map(data.map((sales) => [Number(sales.key), sales]));
  const line = (name: string, of: (sales: Sales) => number) => ({
    name,
    values: days.map((day) => {
      const sales = byDay.get(day);
      return sales === undefined ? 0 : of(sales);
    }),
  });
  return (
    <SectionCard title={t('salesQuestion')}>
      <Chart
        kind="line"
        label={t('salesQuestion')}
        labels={labels}
        series={[
          line(t('line.charged'), ({ charged }) => charged),
          line(t('line.cost'), ({ cost }) => cost),
          line(t('line.margin'), ({ costed, cost }) => costed - cost),
        ]}
        format={format.points}
      />
    </SectionCard>
  );
}

/** A chart for each currency: amounts of two cannot stand on one axis. */
export function IncomeCharts({ period }: { period: Period }) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const { data, error, refetch, dataUpdatedAt } = useQuery(incomeQuery(period, 'day'));
  const days = daysOf(period, new Date(dataUpdatedAt));
  const labels = useDayLabels(days);
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={300} />;
  const currencies = [...new Set(data.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const byDay = new Map(
      data.filter((one) => one.currency === currency).map(({ key, income }) => [Number(key), income]),
    );
    return (
      <SectionCard key={currency} title={t('incomeQuestion', { currency })}>
        <Chart
          kind="bar"
          label={t('incomeQuestion', { currency })}
          labels={labels}
          series={[{ name: t('paid'), values: days.map((day) => byDay.get(day) ?? 0) }]}
          format={(value) => format.number(value, 2)}
        />
      </SectionCard>
    );
  });
}

function useDayLabels(days: readonly number[]): string[] {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(languageTags[language], {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
  return days.map((day) => format.format(day * 1000));
}
