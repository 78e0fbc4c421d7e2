import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { paths } from '../../../paths.ts';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { Chart } from '../../../ui/charts/lazy-time-chart.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { moneyCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { figuresGrid, MoneyFigures } from './money-figures.tsx';
import { daysInPeriod, defaultPeriod, type Period, periodRange, periods } from './periods.ts';
import { type Income, incomeQuery, overviewQuery, type Sales, salesQuery } from './queries.ts';
import { SalesTable } from './sales-table.tsx';

/** Shows income, cost and liabilities. `?period=` selects the period, `?by=` the table's breakdown. */
export function MoneyPage() {
  const { t } = useTranslation('money-overview');
  const search = useSearchParams();
  const setSearch = useSetSearchParams();
  const period = oneOf(search['period'], periods) ?? defaultPeriod;
  return (
    <>
      <PageHeader
        title={t('title')}
        aside={<Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{t('utc')}</Box>}
        actions={
          <ChoiceRow
            label={t('period')}
            value={period}
            options={toOptions(periods, (value) => t(`preset.${value}`))}
            onChange={(next) => setSearch({ period: next === defaultPeriod ? undefined : next, page: undefined })}
          />
        }
      />
      <Overview period={period} />
    </>
  );
}

function Overview({ period }: { period: Period }) {
  const { data, error, refetch, dataUpdatedAt } = useQuery(overviewQuery(period, 'current'));
  const before = useQuery(overviewQuery(period, 'before')).data;
  if (data === undefined)
    return error === null ? <Skeletons /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const { start_timestamp, end_timestamp } = periodRange(period, new Date(dataUpdatedAt));
  const span = { start_timestamp: String(start_timestamp), end_timestamp: String(end_timestamp) };
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <MoneyFigures current={data} before={before} span={span} />
      <Box sx={chartsGrid}>
        <SalesChart period={period} />
        <IncomeCharts period={period} />
      </Box>
      <Breakdown period={period} span={span} />
    </Box>
  );
}

function Skeletons() {
  return (
    <Box aria-busy sx={{ display: 'grid', gap: 2 }}>
      <Box sx={figuresGrid}>
        {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => (
          <Skeleton key={name} variant="rounded" height={108} />
        ))}
      </Box>
      <Skeleton variant="rounded" height={320} />
    </Box>
  );
}

const chartsGrid = {
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
  // An odd last chart spans the row.
  '& > :last-of-type:nth-of-type(odd)': { gridColumn: { lg: 'span 2' } },
} as const;

const ways = ['group', 'model', 'processor'] as const;

interface BreakdownProps {
  period: Period;
  span: Record<string, string>;
}

/** Shows the figures by group, model or payment provider. */
function Breakdown({ period, span }: BreakdownProps) {
  const { t } = useTranslation('money-overview');
  const search = useSearchParams();
  const setSearch = useSetSearchParams();
  const by = oneOf(search['by'], ways) ?? 'group';
  const head = (
    <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1.5, px: 1, width: '100%' }}>
      <Typography variant="h3" component="h2" sx={{ flexGrow: 1 }}>
        {t(`tableTitle.${by}`)}
      </Typography>
      <ChoiceRow
        label={t('by')}
        value={by}
        options={toOptions(ways, (value) => t(`byName.${value}`))}
        onChange={(next) => setSearch({ by: next === 'group' ? undefined : next, order: undefined, page: undefined })}
      />
    </Box>
  );
  return by === 'processor' ? (
    <IncomeTable period={period} span={span} head={head} />
  ) : (
    <SalesTable period={period} span={span} head={head} by={by} />
  );
}

function SalesChart({ period }: { period: Period }) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const { data, error, refetch, dataUpdatedAt } = useQuery(salesQuery(period, 'day'));
  const days = daysInPeriod(period, new Date(dataUpdatedAt));
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

/** Shows one chart for each currency, because amounts in different currencies cannot share an axis. */
function IncomeCharts({ period }: { period: Period }) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const { data, error, refetch, dataUpdatedAt } = useQuery(incomeQuery(period, 'day'));
  const days = daysInPeriod(period, new Date(dataUpdatedAt));
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
  const format = new Intl.DateTimeFormat(languageTags[language], { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return days.map((day) => format.format(day * 1000));
}

interface IncomeTableProps {
  period: Period;
  span: Record<string, string>;
  head: ReactNode;
}

const sortValues = {
  key: (row: Income) => row.key,
  orders: (row: Income) => row.orders,
  quota: (row: Income) => row.quota,
  fees: (row: Income) => row.fees,
};

/** Shows the income by payment provider and currency; a row opens its orders. */
function IncomeTable({ period, span, head }: IncomeTableProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const navigate = useNavigate();
  const seesOrders = useHasAccess('orders.read');
  const list = useListState([], '-quota');
  const income = useQuery(incomeQuery(period, 'processor'));
  const columns = useMemo(() => incomeColumns(t, format), [t, format]);
  return (
    <DataTable
      name="income-by-processor"
      label={t('tableTitle.processor')}
      columns={columns}
      list={list}
      query={localQuery(income.data, list, sortValues, income)}
      rowId={({ key, currency }) => `${currency} ${key}`}
      {...(seesOrders ? { onOpen: () => void navigate({ to: paths.orders, search: span }) } : {})}
      filterBar={head}
      empty={<EmptyState>{t('nothingPaid')}</EmptyState>}
    />
  );
}

const column = columnsFor<Income>();

function incomeColumns(t: TFunction<'money-overview'>, format: ReturnType<typeof useFormat>) {
  return [
    column.field('key', t('byName.processor'), {
      size: 220,
      sortable: true,
      card: 'title',
      cell: (key) => <Name>{key}</Name>,
    }),
    column.field('orders', t('orders'), {
      size: 110,
      sortable: true,
      align: 'end',
      cell: (orders) => format.number(orders),
    }),
    column.field('income', t('paid'), {
      size: 150,
      align: 'end',
      card: 'figure',
      cell: (_, income) => format.money(income.income, income.currency),
    }),
    column.field('refunds', t('refunds'), {
      size: 150,
      align: 'end',
      cell: (_, income) => format.money(income.refunds, income.currency),
    }),
    column.field('fees', t('fees'), { size: 120, sortable: true, align: 'end', cell: (fees) => format.usd(fees) }),
    column.field('quota', t('quota'), { size: 150, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
  ];
}
