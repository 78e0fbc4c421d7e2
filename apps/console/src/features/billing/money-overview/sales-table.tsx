import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { EmptyState } from '../../../ui/feedback/panels.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import type { Period } from './periods.ts';
import { type Sales, salesQuery } from './queries.ts';

interface SalesTableProps {
  period: Period;
  span: Record<string, string>;
  by: 'group' | 'model';
  head: ReactNode;
}

const marginOf = ({ costed, cost }: Sales): number => costed - cost;
/** Returns the margin as a share of the charges whose cost is known; null when no cost is known. */
const shareOf = (sales: Sales): number | null => (sales.costed === 0 ? null : marginOf(sales) / sales.costed);

const sortValues = {
  key: (sales: Sales) => sales.key,
  requests: (sales: Sales) => sales.requests,
  charged: (sales: Sales) => sales.charged,
  cost: (sales: Sales) => sales.cost,
  margin: marginOf,
  share: shareOf,
};

/** Shows charges, cost and margin by group or model; a row opens its calls. */
export function SalesTable({ period, span, by, head }: SalesTableProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const navigate = useNavigate();
  const seesRecords = useHasAccess('records.read');
  const list = useListState([], '-charged');
  const { data, error, refetch, isFetching } = useQuery(salesQuery(period, by));
  const columns = useMemo(() => salesColumns(t, format, t(`byName.${by}`)), [t, format, by]);
  const open = ({ key }: Sales) =>
    void navigate({
      to: paths.usageRecords,
      search: { ...span, [by === 'group' ? 'group' : 'model_name']: key },
    });
  return (
    <DataTable
      name={`sales-by-${by}`}
      label={t(`tableTitle.${by}`)}
      columns={columns}
      list={list}
      rows={data === undefined ? undefined : localPage(data, list, sortValues)}
      total={data?.length}
      rowId={({ key }) => key}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(seesRecords ? { onOpen: open } : {})}
      filterBar={head}
      empty={<EmptyState>{t('nothingSold')}</EmptyState>}
    />
  );
}

const helper = columnsFor<Sales>();

function salesColumns(t: TFunction<'money-overview'>, format: ReturnType<typeof useFormat>, name: string) {
  return helper.columns([
    helper.accessor('key', {
      header: name,
      size: 240,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: name, card: 'title' },
    }),
    helper.accessor('requests', {
      header: t('requests'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('requests'), align: 'end' },
    }),
    helper.accessor('charged', {
      header: t('line.charged'),
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('line.charged'), align: 'end', card: 'figure' },
    }),
    helper.accessor('cost', {
      header: t('line.cost'),
      size: 140,
      enableSorting: true,
      cell: ({ row: { original } }) => <Money points={original.costed === 0 ? null : original.cost} />,
      meta: { label: t('line.cost'), align: 'end' },
    }),
    helper.accessor(marginOf, {
      id: 'margin',
      header: t('line.margin'),
      size: 140,
      enableSorting: true,
      cell: ({ row: { original } }) => <Money points={original.costed === 0 ? null : marginOf(original)} />,
      meta: { label: t('line.margin'), align: 'end', card: 'figure' },
    }),
    helper.accessor(shareOf, {
      id: 'share',
      header: t('marginShare'),
      size: 130,
      enableSorting: true,
      cell: ({ row: { original } }) => format.percent(shareOf(original), 1),
      meta: { label: t('marginShare'), align: 'end' },
    }),
  ]);
}
