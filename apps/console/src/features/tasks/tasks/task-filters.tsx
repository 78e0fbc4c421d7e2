import { apiKeyId, channelId, userId } from '@switchyard/contract/ids';
import { taskPlatforms, taskStatuses } from '@switchyard/contract/tasks/tasks';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { timeFilter } from '../../../ui/filters/time-presets.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { type ListState, oneOf } from '../../../ui/table/url-list-state.ts';
import type { Scope, TaskListQuery } from './queries.ts';

const ownTexts = ['token_name', 'model_name', 'action'] as const;
const allTexts = ['username', 'user_id', 'channel_id', ...ownTexts] as const;

interface TaskFiltersProps {
  list: ListState<FilterName>;
  scope: Scope;
  /** True to hide the platform filter, because all tasks are of one platform. */
  hidesPlatform?: boolean;
}

/** Renders the task filters; the search box searches by task id. */
export function TaskFilters({ list, scope, hidesPlatform = false }: TaskFiltersProps) {
  const { t } = useTranslation('tasks');
  const { filters, setFilter } = list;
  const byId = {
    ...list,
    keyword: filters.task_id ?? '',
    setKeyword: (text: string) => setFilter('task_id', text === '' ? undefined : text),
  };
  const platforms = toOptions(taskPlatforms, (name) => t(`platformName.${name}`));
  return (
    <FilterBar list={byId} placeholder={t('search')}>
      <TimeChip value={filters} />
      <FilterChips
        list={list}
        chips={[
          ...(hidesPlatform ? [] : [{ name: 'platform' as const, label: t('platform'), options: platforms }]),
          { name: 'status', label: t('state'), options: toOptions(taskStatuses, (value) => t(`status.${value}`)) },
        ]}
      />
      <TextFilters list={list} names={scope === 'own' ? ownTexts : allTexts} labelOf={(name) => t(`filter.${name}`)} />
    </FilterBar>
  );
}

/** URL parameters of the filter; all except `time` are the contract's. */
export const filterNames = [
  'time',
  'start_timestamp',
  'end_timestamp',
  'platform',
  'status',
  'action',
  'task_id',
  'model_name',
  'token_name',
  'token_id',
  'username',
  'user_id',
  'channel_id',
] as const;
export type FilterName = (typeof filterNames)[number];
type FilterTexts = Readonly<Record<FilterName, string | undefined>>;

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function taskFilter(scope: Scope, texts: FilterTexts, now = new Date()): TaskListQuery {
  const own: TaskListQuery = {
    platform: oneOf(texts.platform, taskPlatforms),
    status: oneOf(texts.status, taskStatuses),
    ...timeFilter(texts, now),
    action: texts.action,
    task_id: texts.task_id,
    model_name: texts.model_name,
    token_name: texts.token_name,
    token_id: apiKeyId.safeParse(texts.token_id).data,
  };
  if (scope === 'own') return own;
  return {
    ...own,
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    channel_id: channelId.safeParse(texts.channel_id).data,
  };
}
