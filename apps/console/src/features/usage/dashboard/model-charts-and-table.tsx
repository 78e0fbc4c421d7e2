import Box from '@mui/material/Box';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { paths } from '../../../paths.ts';
import { Chart } from '../../../ui/charts/lazy-time-chart.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { moneyCell, monoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { type ModelUsage, measures, seriesByModel } from './daily-usage.ts';
import type { Scope } from './queries.ts';

interface ModelChartsProps {
  data: Dashboard;
  dates: readonly string[];
  scope: Scope;
}

/** Charts spending and requests by day and model. */
export function ModelCharts({ data, dates, scope }: ModelChartsProps) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const language = useLanguage();
  const dayFormat = new Intl.DateTimeFormat(languageTags[language], {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const labels = dates.map((date) => dayFormat.format(new Date(date)));
  const spend = t(scope === 'mine' ? 'spendQuestionMine' : 'spendQuestion');
  const requests = t(scope === 'mine' ? 'requestsQuestionMine' : 'requestsQuestion');
  return (
    <Box
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' } }}
    >
      <SectionCard title={spend}>
        <Chart
          kind="bar"
          label={spend}
          labels={labels}
          series={seriesByModel(data.days, dates, measures.spend)}
          format={format.points}
        />
      </SectionCard>
      <SectionCard title={requests}>
        <Chart
          kind="bar"
          label={requests}
          labels={labels}
          series={seriesByModel(data.days, dates, measures.requests)}
          format={format.compact}
        />
      </SectionCard>
    </Box>
  );
}

const sortValues = {
  model: (row: ModelUsage) => row.model,
  requests: (row: ModelUsage) => row.requests,
  tokens: (row: ModelUsage) => row.tokens,
  spend: (row: ModelUsage) => row.spend,
};

interface ModelTableProps {
  rows: readonly ModelUsage[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
  filterBar: ReactNode;
}

/** Shows the usage by model; a row opens its usage records. */
export function ModelTable({ rows, search, filterBar }: ModelTableProps) {
  const { t } = useTranslation('dashboard');
  const list = useListState([], '-spend');
  const navigate = useNavigate();
  const format = useFormat();
  const columns = useMemo(() => modelColumns(t, format), [t, format]);
  return (
    <DataTable
      name="usage-by-model"
      label={t('byModel')}
      columns={columns}
      list={list}
      query={localQuery(rows, list, sortValues)}
      rowId={(row) => row.model}
      onOpen={(row) => void navigate({ to: paths.usageRecords, search: { ...search, model_name: row.model } })}
      filterBar={filterBar}
      empty={<EmptyState>{t('nothing')}</EmptyState>}
    />
  );
}

const column = columnsFor<ModelUsage>();

function modelColumns(t: TFunction<'dashboard'>, format: ReturnType<typeof useFormat>) {
  return [
    column.field('model', t('model'), { size: 260, sortable: true, card: 'title', cell: monoCell }),
    column.field('requests', t('requests'), {
      size: 130,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (requests) => format.number(requests),
    }),
    column.field('tokens', t('tokens'), {
      size: 150,
      sortable: true,
      align: 'end',
      cell: (tokens) => format.number(tokens),
    }),
    column.field('spend', t('spend'), { size: 130, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
    column.field('share', t('share'), {
      size: 200,
      align: 'end',
      cell: (share) => <ShareBar share={share} text={format.percent(share, 1)} />,
    }),
  ];
}

function ShareBar({ share, text }: { share: number; text: string }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, width: '100%' }}>
      <Box component="span" aria-hidden sx={{ flexGrow: 1, height: 4, borderRadius: 999, bgcolor: 'neutral.soft' }}>
        <Box
          component="span"
          style={{ width: `${share * 100}%` }}
          sx={{ display: 'block', height: '100%', borderRadius: 999, bgcolor: 'primary.main' }}
        />
      </Box>
      <Box component="span" sx={{ minWidth: 48 }}>
        {text}
      </Box>
    </Box>
  );
}
