import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/money.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { useMay } from '../../accounts/session/queries.ts';
import type { Period } from './periods.ts';
import { type Income, incomeQuery } from './queries.ts';

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

/** Shows the income by payment provider and currency; each row links to its orders. */
export function IncomeTable({ period, span, head }: IncomeTableProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const navigate = useNavigate();
  const seesOrders = useMay('orders.read');
  const list = useListState([], '-quota');
  const { data, error, refetch, isFetching } = useQuery(incomeQuery(period, 'processor'));
  const columns = useMemo(() => incomeColumns(t, format), [t, format]);
  return (
    <DataTable
      name="income-by-processor"
      label={t('tableTitle.processor')}
      columns={columns}
      list={list}
      rows={data === undefined ? undefined : localPage(data, list, sortValues)}
      total={data?.length}
      rowId={({ key, currency }) => `${currency} ${key}`}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(seesOrders ? { onOpen: () => void navigate({ to: paths.orders, search: span }) } : {})}
      filterBar={head}
      empty={<EmptyState>{t('nothingPaid')}</EmptyState>}
    />
  );
}

const helper = columnsFor<Income>();

function incomeColumns(t: TFunction<'money-overview'>, format: ReturnType<typeof useFormat>) {
  return helper.columns([
    helper.accessor('key', {
      header: t('byName.processor'),
      size: 220,
      enableSorting: true,
      cell: ({ getValue }) => <Name>{getValue()}</Name>,
      meta: { label: t('byName.processor'), card: 'title' },
    }),
    helper.accessor('orders', {
      header: t('orders'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label: t('orders'), align: 'end' },
    }),
    helper.accessor('income', {
      header: t('paid'),
      size: 150,
      cell: ({ row: { original } }) => format.money(original.income, original.currency),
      meta: { label: t('paid'), align: 'end', card: 'figure' },
    }),
    helper.accessor('refunds', {
      header: t('refunds'),
      size: 150,
      cell: ({ row: { original } }) => format.money(original.refunds, original.currency),
      meta: { label: t('refunds'), align: 'end' },
    }),
    helper.accessor('fees', {
      header: t('fees'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => format.usd(getValue()),
      meta: { label: t('fees'), align: 'end' },
    }),
    helper.accessor('quota', {
      header: t('quota'),
      size: 150,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('quota'), align: 'end', card: 'figure' },
    }),
  ]);
}
