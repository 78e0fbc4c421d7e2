import Box from '@mui/material/Box';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { EmptyState } from '../../../ui/feedback/panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import type { ModelUsage } from './daily.ts';

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
      rows={localPage(rows, list, sortValues)}
      total={rows.length}
      rowId={(row) => row.model}
      fetching={false}
      onOpen={(row) => void navigate({ to: paths.usageRecords, search: { ...search, model_name: row.model } })}
      filterBar={filterBar}
      empty={<EmptyState>{t('nothing')}</EmptyState>}
    />
  );
}

const helper = columnsFor<ModelUsage>();

function modelColumns(t: TFunction<'dashboard'>, format: ReturnType<typeof useFormat>) {
  return helper.columns([
    helper.accessor('model', {
      header: t('model'),
      size: 260,
      enableSorting: true,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('model'), card: 'title' },
    }),
    helper.accessor('requests', {
      header: t('requests'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('requests'), align: 'end', card: 'figure' },
    }),
    helper.accessor('tokens', {
      header: t('tokens'),
      size: 150,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('tokens'), align: 'end' },
    }),
    helper.accessor('spend', {
      header: t('spend'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('spend'), align: 'end', card: 'figure' },
    }),
    helper.accessor('share', {
      header: t('share'),
      size: 200,
      cell: ({ getValue }) => <ShareBar share={getValue()} text={format.percent(getValue(), 1)} />,
      meta: { label: t('share'), align: 'end' },
    }),
  ]);
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
