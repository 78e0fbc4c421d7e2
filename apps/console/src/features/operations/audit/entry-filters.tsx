import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { TextFilterChip } from '../../../ui/filters/text-filter-chip.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { areas, type FilterName, timePresets } from './entry-filter.ts';

const texts = ['user_id', 'about_user', 'action', 'target'] as const;

export function EntryFilters({ list }: { list: ListState<FilterName> }) {
  const { t } = useTranslation('audit');
  const { filters, setFilter } = list;
  return (
    <FilterBar list={searching(list)} placeholder={t('search')}>
      <FilterChip
        label={t('time')}
        value={filters.time}
        options={timePresets.map((preset) => ({ value: preset, label: t(`preset.${preset}`) }))}
        onChange={(time) => setFilter('time', time)}
      />
      <FilterChip
        label={t('area')}
        value={filters.area}
        options={areas.map((area) => ({ value: area, label: t(`areaName.${area}`) }))}
        onChange={(area) => setFilter('area', area)}
      />
      {texts
        .filter((name) => filters[name] !== undefined)
        .map((name) => (
          <TextFilterChip
            key={name}
            label={t(`filter.${name}`)}
            value={filters[name]}
            onChange={(value) => setFilter(name, value)}
          />
        ))}
    </FilterBar>
  );
}

/** The box searches names of users; `channel:7` in it is a target, `channel.update` an action. */
function searching(list: ListState<FilterName>): ListState<FilterName> {
  return {
    ...list,
    keyword: list.filters.username ?? '',
    setKeyword: (text) => {
      if (/^[a-z_-]+:/.test(text)) list.setFilter('target', text);
      else if (/^[a-z-]+\./.test(text)) list.setFilter('action', text);
      else list.setFilter('username', text === '' ? undefined : text);
    },
  };
}
