import { taskPlatforms, taskStatuses } from '@switchyard/contract/tasks/tasks';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-chip.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import type { Scope } from './queries.ts';
import type { FilterName } from './task-filter.ts';

const ownTexts = ['token_name', 'model_name', 'action'] as const;
const allTexts = ['username', 'user_id', 'channel_id', ...ownTexts] as const;

interface TaskFiltersProps {
  list: ListState<FilterName>;
  scope: Scope;
  /** The platform is not to be chosen: all are of one. */
  hidesPlatform?: boolean;
}

/** The box looks for a task by its id. */
export function TaskFilters({ list, scope, hidesPlatform = false }: TaskFiltersProps) {
  const { t } = useTranslation('tasks');
  const setParams = useSetSearchParams();
  const { filters, setFilter } = list;
  const byId = {
    ...list,
    keyword: filters.task_id ?? '',
    setKeyword: (text: string) => setFilter('task_id', text === '' ? undefined : text),
  };
  return (
    <FilterBar list={byId} placeholder={t('search')}>
      <TimeChip
        value={filters}
        onChange={({ time, start_timestamp, end_timestamp }) =>
          setParams({ time, start_timestamp, end_timestamp, page: undefined })
        }
      />
      {!hidesPlatform && (
        <FilterChip
          label={t('platform')}
          value={filters.platform}
          options={taskPlatforms.map((value) => ({ value, label: t(`platformName.${value}`) }))}
          onChange={(value) => setFilter('platform', value)}
        />
      )}
      <FilterChip
        label={t('state')}
        value={filters.status}
        options={taskStatuses.map((value) => ({ value, label: t(`status.${value}`) }))}
        onChange={(value) => setFilter('status', value)}
      />
      <TextFilters
        list={list}
        names={scope === 'own' ? ownTexts : allTexts}
        labelOf={(name) => t(`filter.${name}`)}
      />
    </FilterBar>
  );
}
