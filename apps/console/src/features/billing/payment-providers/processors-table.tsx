import { processorTypes } from '@switchyard/contract/billing/payment-provider-types';
import type { Processor } from '@switchyard/contract/billing/payment-providers';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/list-state.ts';
import { processorColumns } from './processor-columns.tsx';
import { ProcessorMenu } from './processor-menu.tsx';
import { processorListQuery } from './queries.ts';

interface ProcessorsTableProps {
  /** Undefined for who may only look. */
  onEdit: ((processor: Processor) => void) | undefined;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function ProcessorsTable({ onEdit, empty }: ProcessorsTableProps) {
  const { t } = useTranslation('processors');
  const format = useFormat();
  const list = useListState(['type'], '-sort');
  const type = oneOf(list.filters.type, processorTypes);
  const query = { page: list.page, size: list.size, order: list.order, name: list.keyword, type };
  const { data, isFetching, error, refetch } = useQuery(processorListQuery(query));
  const columns = useMemo(() => processorColumns(t, format), [t, format]);
  return (
    <DataTable
      name="processors"
      label={t('title')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(processor) => String(processor.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(onEdit === undefined ? {} : { onOpen: onEdit })}
      renderActions={(processor) => <ProcessorMenu processor={processor} onEdit={onEdit} />}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChip
            label={t('type')}
            value={type}
            options={processorTypes.map((value) => ({ value, label: t(`typeName.${value}`) }))}
            onChange={(value) => list.setFilter('type', value)}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
