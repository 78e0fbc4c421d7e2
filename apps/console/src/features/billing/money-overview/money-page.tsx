import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { oneOf } from '../../../ui/table/list-state.ts';
import { Breakdown } from './breakdown.tsx';
import { IncomeCharts, SalesChart } from './money-charts.tsx';
import { figuresGrid, MoneyFigures } from './money-figures.tsx';
import { type Period, periods, spanOf, usualPeriod } from './periods.ts';
import { overviewQuery } from './queries.ts';

/** Shows the income, the cost and the liabilities. `?period=` is the period, `?by=` the breakdown of the table. */
export function MoneyPage() {
  const { t } = useTranslation('money-overview');
  const search = useSearchParams();
  const setSearch = useSetSearchParams();
  const period = oneOf(search['period'], periods) ?? usualPeriod;
  return (
    <>
      <PageHeader
        title={t('title')}
        aside={<Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{t('utc')}</Box>}
        actions={
          <ChoiceRow
            label={t('period')}
            value={period}
            options={periods.map((value) => ({ value, label: t(`preset.${value}`) }))}
            onChange={(next) =>
              setSearch({ period: next === usualPeriod ? undefined : next, page: undefined })
            }
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
  const { start_timestamp, end_timestamp } = spanOf(period, new Date(dataUpdatedAt));
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
  // An odd last chart takes the whole row.
  '& > :last-of-type:nth-of-type(odd)': { gridColumn: { lg: 'span 2' } },
} as const;
