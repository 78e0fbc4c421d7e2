import Box from '@mui/material/Box';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Donut } from '../../../ui/charts/donut.tsx';
import { Money } from '../../../ui/display/inline-values.tsx';
import { EmptyState } from '../../../ui/feedback/panels.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { ChoiceButtons } from './choice-buttons.tsx';
import { boundsOfDate, type DayUsage, usageByDay, usageByModel } from './daily.ts';
import { ModelTable } from './model-table.tsx';

interface UsageTablesProps {
  days: Dashboard['days'];
  dates: readonly string[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
}

/** Shows the usage by model or, with `?by=day`, by day, beside the models' shares. */
export function UsageTables({ days, dates, search }: UsageTablesProps) {
  const { t } = useTranslation('dashboard');
  const { compact } = useFormat();
  const by = useSearchParams()['by'] === 'day' ? 'day' : 'model';
  const setSearch = useSetSearchParams();
  const models = usageByModel(days);
  const choice = (
    <ChoiceButtons
      label={t('by')}
      value={by}
      options={[
        { value: 'model', label: t('byModel') },
        { value: 'day', label: t('byDay') },
      ]}
      // The two tables have different sort columns.
      onChange={(next) => setSearch({ by: next === 'day' ? 'day' : undefined, order: undefined, page: undefined })}
    />
  );
  return (
    <Box sx={beside}>
      {by === 'day' ? (
        <DayTable rows={usageByDay(days, dates)} search={search} filterBar={choice} />
      ) : (
        <ModelTable rows={models} search={search} filterBar={choice} />
      )}
      <SectionCard title={t('modelQuestion')}>
        <Donut
          label={t('modelQuestion')}
          parts={models.map(({ model, requests }) => ({ name: model, value: requests }))}
          format={compact}
        />
      </SectionCard>
    </Box>
  );
}

const beside = {
  display: 'grid',
  gap: 2,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 300px' },
} as const;

const sortValues = {
  date: (row: DayUsage) => row.date,
  requests: (row: DayUsage) => row.requests,
  prompt: (row: DayUsage) => row.prompt,
  completion: (row: DayUsage) => row.completion,
  meanTime: (row: DayUsage) => row.meanTime,
  spend: (row: DayUsage) => row.spend,
};

interface DayTableProps {
  rows: readonly DayUsage[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
  filterBar: ReactNode;
}

/** Shows the usage by day; a row opens its usage records. */
function DayTable({ rows, search, filterBar }: DayTableProps) {
  const { t } = useTranslation('dashboard');
  const list = useListState([], '-date');
  const navigate = useNavigate();
  const format = useFormat();
  const columns = useMemo(() => dayColumns(t, format), [t, format]);
  return (
    <DataTable
      name="usage-by-day"
      label={t('byDay')}
      columns={columns}
      list={list}
      rows={localPage(rows, list, sortValues)}
      total={rows.length}
      rowId={(row) => row.date}
      fetching={false}
      onOpen={({ date }) => void navigate({ to: paths.usageRecords, search: { ...search, ...boundsOfDate(date) } })}
      filterBar={filterBar}
      empty={<EmptyState>{t('nothing')}</EmptyState>}
    />
  );
}

const helper = columnsFor<DayUsage>();

function dayColumns(t: TFunction<'dashboard'>, format: ReturnType<typeof useFormat>) {
  return helper.columns([
    helper.accessor('date', {
      header: t('date'),
      size: 150,
      enableSorting: true,
      cell: ({ getValue }) => format.date(getValue()),
      meta: { label: t('date'), card: 'title' },
    }),
    helper.accessor('requests', {
      header: t('requests'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('requests'), align: 'end', card: 'figure' },
    }),
    helper.accessor('prompt', {
      header: t('tokensIn'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('tokensIn'), align: 'end' },
    }),
    helper.accessor('completion', {
      header: t('tokensOut'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('tokensOut'), align: 'end' },
    }),
    helper.accessor('meanTime', {
      header: t('meanTime'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => format.duration(getValue()),
      meta: { label: t('meanTime'), align: 'end' },
    }),
    helper.accessor('spend', {
      header: t('spend'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('spend'), align: 'end', card: 'figure' },
    }),
  ]);
}
