import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/list-state.ts';
import { useGroupName, useGroups } from '../user-groups/queries.ts';
import { ApiKeyBulkActions } from './api-key-bulk-actions.tsx';
import { apiKeyColumns } from './api-key-columns.tsx';
import { ApiKeyMenu } from './api-key-menu.tsx';
import { statuses } from './api-key-status.tsx';
import { apiKeyListQuery, listApiKeys } from './queries.ts';

interface ApiKeysTableProps {
  onOpen: (key: ApiKey) => void;
  onEdit: (key: ApiKey) => void;
  onNewKey: (key: string) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function ApiKeysTable({ onOpen, onEdit, onNewKey, empty }: ApiKeysTableProps) {
  const { t } = useTranslation('api-keys');
  const list = useListState(['status', 'group'], '-id');
  const groups = useGroups();
  const groupName = useGroupName();
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    status: oneOf(list.filters.status, statuses),
    group: list.filters.group,
  };
  const { data, isFetching, error, refetch } = useQuery(apiKeyListQuery(query));
  const columns = useMemo(() => apiKeyColumns(t, groupName), [t, groupName]);
  return (
    <DataTable
      name="tokens"
      label={t('title')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(key) => String(key.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      onOpen={onOpen}
      renderActions={(key) => <ApiKeyMenu apiKey={key} onEdit={onEdit} onNewKey={onNewKey} />}
      renderBulkActions={(keys, done) => <ApiKeyBulkActions keys={keys} onDone={done} />}
      fetchPage={(page, size) => listApiKeys({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChip
            label={t('status')}
            value={list.filters.status}
            options={statuses.map((status) => ({ value: status, label: t(`statusName.${status}`) }))}
            onChange={(status) => list.setFilter('status', status)}
          />
          <FilterChip
            label={t('group')}
            value={list.filters.group}
            options={Object.values(groups ?? {}).map(({ symbol, name }) => ({ value: symbol, label: name }))}
            onChange={(group) => list.setFilter('group', group)}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
