import Box from '@mui/material/Box';
import type { UserId } from '@switchyard/contract/ids';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { KeyFigure } from '../../../ui/charts/key-figure-and-change.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { dailySums, datesOf, measures, periodStart } from './daily-usage.ts';
import { ModelCharts } from './model-charts-and-table.tsx';
import { userUsageQuery } from './queries.ts';
import { row } from './usage-figures-row.tsx';

const DAYS = 30;
const spans = [1, 7, DAYS] as const;

/** Shows one user's spending today, in a week and in a month, by day and model. */
export function UserUsage({ id }: { id: UserId }) {
  const { t } = useTranslation('dashboard');
  const { data, error, refetch, dataUpdatedAt } = useQuery(userUsageQuery(id, DAYS));
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  const now = new Date(dataUpdatedAt);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box sx={row}>
        {spans.map((span) => (
          <SpanFigure key={span} id={id} data={data} span={span} now={now} />
        ))}
      </Box>
      {data.days.length > 0 ? (
        <ModelCharts data={data} dates={datesOf(DAYS, now)} scope="everybody" />
      ) : (
        <SectionCard>
          <EmptyState>{t('nothingOfUser')}</EmptyState>
        </SectionCard>
      )}
    </Box>
  );
}

function SpanFigure({ id, data, span, now }: { id: UserId; data: Dashboard; span: number; now: Date }) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const dates = datesOf(span, now);
  const spent = dailySums(data.days, dates, measures.spend);
  const requests = sum(dailySums(data.days, dates, measures.requests));
  return (
    <KeyFigure
      label={span === 1 ? t('today') : t('days', { count: span })}
      value={format.points(sum(spent))}
      note={t('callsOf', { count: requests, requests: format.number(requests) })}
      {...(span === 1 ? {} : { trend: spent })}
      to={paths.usageRecords}
      search={{ user_id: String(id), start_timestamp: String(periodStart(span, now)) }}
    />
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
