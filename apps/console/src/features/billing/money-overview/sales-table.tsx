import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { moneyCell, optionalMonoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
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
  const sales = useQuery(salesQuery(period, by));
  const columns = useMemo(() => salesColumns(t, format, t(`byName.${by}`)), [t, format, by]);
  const open = ({ key }: Sales) =>
    void navigate({ to: paths.usageRecords, search: { ...span, [by === 'group' ? 'group' : 'model_name']: key } });
  return (
    <DataTable
      name={`sales-by-${by}`}
      label={t(`tableTitle.${by}`)}
      columns={columns}
      list={list}
      query={localQuery(sales.data, list, sortValues, sales)}
      rowId={({ key }) => key}
      {...(seesRecords ? { onOpen: open } : {})}
      filterBar={head}
      empty={<EmptyState>{t('nothingSold')}</EmptyState>}
    />
  );
}

const column = columnsFor<Sales>();

function salesColumns(t: TFunction<'money-overview'>, format: ReturnType<typeof useFormat>, name: string) {
  return [
    column.field('key', name, { size: 240, sortable: true, card: 'title', cell: optionalMonoCell }),
    column.field('requests', t('requests'), {
      size: 130,
      sortable: true,
      align: 'end',
      cell: (requests) => format.number(requests),
    }),
    column.field('charged', t('line.charged'), {
      size: 140,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: moneyCell,
    }),
    column.field('cost', t('line.cost'), {
      size: 140,
      sortable: true,
      align: 'end',
      cell: (_, sales) => <Money points={sales.costed === 0 ? null : sales.cost} />,
    }),
    column.computed('margin', t('line.margin'), marginOf, {
      size: 140,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (_, sales) => <Money points={sales.costed === 0 ? null : marginOf(sales)} />,
    }),
    column.computed('share', t('marginShare'), shareOf, {
      size: 130,
      sortable: true,
      align: 'end',
      cell: (_, sales) => format.percent(shareOf(sales), 1),
    }),
  ];
}
