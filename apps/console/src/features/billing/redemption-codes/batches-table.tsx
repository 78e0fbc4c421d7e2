import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { batchColumns } from './batch-columns.tsx';
import { BatchMenu } from './batch-menu.tsx';
import { batchListQuery, listBatches } from './queries.ts';

interface BatchesTableProps {
  /** Undefined for those who may only look. */
  onEdit: ((batch: CodeBatch) => void) | undefined;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function BatchesTable({ onEdit, empty }: BatchesTableProps) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  const navigate = useNavigate();
  const list = useListState([], '-id');
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
  };
  const { data, isFetching, error, refetch } = useQuery(batchListQuery(query));
  const columns = useMemo(() => batchColumns(t, format.number), [t, format]);
  const showCodes = ({ id }: CodeBatch) =>
    void navigate({ to: '.', search: { tab: 'codes', batch_id: String(id) } });
  return (
    <DataTable
      name="code-batches"
      label={t('batches')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(batch) => String(batch.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      onOpen={onEdit ?? showCodes}
      {...(onEdit === undefined
        ? {}
        : {
            renderActions: (batch: CodeBatch) => (
              <BatchMenu batch={batch} onEdit={onEdit} onShowCodes={showCodes} />
            ),
          })}
      fetchPage={(page, size) => listBatches({ ...query, page, size })}
      filterBar={<FilterBar list={list} placeholder={t('searchBatches')} />}
      empty={<EmptyState action={empty}>{t('noBatches')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('noBatchFound')}</EmptyState>}
    />
  );
}
