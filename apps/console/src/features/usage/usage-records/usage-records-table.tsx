import type { UsageRecord } from '@switchyard/contract/usage/usage-records';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';
import { recordListQuery, recordTotalsQuery, type Scope } from './queries.ts';
import { recordColumns } from './record-columns.tsx';
import { type FilterName, recordFilter } from './record-filter.ts';
import { RecordFilters } from './record-filters.tsx';
import { RecordTotals } from './record-totals.tsx';

interface UsageRecordsTableProps {
  scope: Scope;
  list: ListState<FilterName>;
  live: boolean;
  onOpen: (record: UsageRecord) => void;
  /** Content that replaces all filters. */
  filterBar?: ReactNode;
}

export function UsageRecordsTable({ scope, list, live, onOpen, filterBar }: UsageRecordsTableProps) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const groupName = useGroupName();
  const { page, size, order, filters } = list;
  const filter = () => recordFilter(scope, filters);
  const records = useQuery(
    recordListQuery({
      scope,
      key: { page, size, order, filters },
      query: () => ({ ...filter(), page, size, order }),
      live,
    }),
  );
  const totals = useQuery(recordTotalsQuery({ scope, key: filters, filter, live })).data;
  const columns = useMemo(
    () => recordColumns(t, scope, { number: format.number, groupName }),
    [t, scope, format, groupName],
  );
  return (
    <DataTable
      name={`log-${scope}`}
      label={t('title')}
      columns={columns}
      list={list}
      rows={records.data?.data}
      total={records.data?.total_count}
      rowId={(record) => String(record.id)}
      fetching={records.isFetching && !live}
      error={records.error}
      onRetry={() => void records.refetch()}
      onOpen={onOpen}
      totals={<RecordTotals totals={totals} />}
      filterBar={
        filterBar ?? <RecordFilters list={list} scope={scope} nameOf={nameIn(records.data?.data ?? [])} />
      }
      empty={<EmptyState>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

/** Says what an id in a filter stands for, as far as the rows tell. */
function nameIn(rows: readonly UsageRecord[]) {
  return (filter: FilterName, id: string): string | undefined => {
    if (filter === 'user_id') return rows.find((row) => String(row.user_id) === id)?.username;
    if (filter === 'token_id') return rows.find((row) => String(row.token_id) === id)?.token_name;
    if (filter === 'channel_id') return rows.find((row) => String(row.channel?.id) === id)?.channel?.name;
    return undefined;
  };
}
