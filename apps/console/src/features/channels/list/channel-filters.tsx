import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { type Option, toOptions } from '../../../ui/inputs/select-options.ts';
import type { ListState } from '../../../ui/table/url-list-state.ts';
import { tagsQuery } from '../bulk-edit/bulk-edit-and-import-api-calls.ts';
import { useProviders } from '../queries.ts';
import { channelStatuses } from './channel-chips-and-figures.tsx';
import { useProviderName } from './provider-and-option-names.ts';

export const channelFilterNames = ['type', 'status', 'group', 'tag'] as const;

interface ChannelFiltersProps {
  list: ListState<(typeof channelFilterNames)[number]>;
  groups: readonly Option[];
}

export function ChannelFilters({ list, groups }: ChannelFiltersProps) {
  const { t } = useTranslation('channels');
  const providerName = useProviderName();
  const providers = useProviders();
  const known = useQuery(tagsQuery).data?.map(({ tag }) => tag) ?? [];
  const tags = [...new Set([list.filters.tag ?? '', ...known])].filter((tag) => tag !== '');
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          {
            name: 'type',
            label: t('type'),
            options: providers.map((one) => ({ value: String(one.type), label: providerName(one) })),
          },
          {
            name: 'status',
            label: t('status'),
            options: toOptions(channelStatuses, (status) => t(`statusName.${status}`)),
          },
          { name: 'group', label: t('group'), options: groups },
          ...(tags.length > 0 ? [{ name: 'tag' as const, label: t('tag'), options: toOptions(tags.toSorted()) }] : []),
        ]}
      />
    </FilterBar>
  );
}
