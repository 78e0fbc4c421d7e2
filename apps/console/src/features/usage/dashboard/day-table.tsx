import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/money.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { boundsOfDate, type DayUsage } from './daily.ts';

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
  /** The log's filter for the same calls. */
  search: Record<string, string>;
  filterBar: ReactNode;
}

/** The period by day; a row leads to its calls. */
export function DayTable({ rows, search, filterBar }: DayTableProps) {
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
      onOpen={({ date }) =>
        void navigate({ to: paths.usageRecords, search: { ...search, ...boundsOfDate(date) } })
      }
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
