import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip, type Option } from '../../../ui/filters/filter-chip.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { tagsQuery } from '../bulk-edit/edit-queries.ts';
import { useProviders } from '../queries.ts';
import { channelStatuses } from './channel-labels.tsx';
import { useProviderName } from './channel-names.ts';

export const channelFilterNames = ['type', 'status', 'group', 'tag'] as const;

interface ChannelFiltersProps {
  list: ListState<(typeof channelFilterNames)[number]>;
  groups: readonly Option[];
}

export function ChannelFilters({ list, groups }: ChannelFiltersProps) {
  const { t } = useTranslation('channels');
  const providerName = useProviderName();
  const { filters, setFilter } = list;
  const known = useQuery(tagsQuery).data?.map(({ tag }) => tag) ?? [];
  const tags = [...new Set([filters.tag ?? '', ...known])].filter((tag) => tag !== '');
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChip
        label={t('type')}
        value={filters.type}
        options={useProviders().map((provider) => ({
          value: String(provider.type),
          label: providerName(provider),
        }))}
        onChange={(type) => setFilter('type', type)}
      />
      <FilterChip
        label={t('status')}
        value={filters.status}
        options={channelStatuses.map((status) => ({ value: status, label: t(`statusName.${status}`) }))}
        onChange={(status) => setFilter('status', status)}
      />
      <FilterChip
        label={t('group')}
        value={filters.group}
        options={groups}
        onChange={(group) => setFilter('group', group)}
      />
      {tags.length > 0 && (
        <FilterChip
          label={t('tag')}
          value={filters.tag}
          options={tags.toSorted().map((tag) => ({ value: tag, label: tag }))}
          onChange={(tag) => setFilter('tag', tag)}
        />
      )}
    </FilterBar>
  );
}
