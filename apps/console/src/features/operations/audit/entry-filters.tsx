import { userId } from '@switchyard/contract/ids';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilterChip } from '../../../ui/filters/text-filter-chip.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { type ListState, oneOf } from '../../../ui/table/url-list-state.ts';
import type { EntryFilter } from './queries.ts';

const texts = ['user_id', 'about_user', 'action', 'target'] as const;

export function EntryFilters({ list }: { list: ListState<FilterName> }) {
  const { t } = useTranslation('audit');
  const { filters, setFilter } = list;
  return (
    <FilterBar list={searching(list)} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          { name: 'time', label: t('time'), options: toOptions(timePresets, (preset) => t(`preset.${preset}`)) },
          { name: 'area', label: t('area'), options: toOptions(areas, (area) => t(`areaName.${area}`)) },
        ]}
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

/** Makes the search box filter by user name, by target (`channel:7`) or by action (`channel.update`). */
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

const timePresets = ['1d', '7d', '30d'] as const;
/** Subjects of entries: the first part of an action's name. */
const areas = [
  'session',
  'profile',
  'identity',
  'impersonation',
  'passkey',
  'totp',
  'recovery-codes',
  'user',
  'user-group',
  'staff-role',
  'access-token',
  'api-key',
  'channel',
  'price',
  'model-detail',
  'model-owner',
  'setting',
  'job',
  'mail',
  'destination',
  'delivery',
  'secret',
  'statement',
  'usage-record',
  'redemption-code',
  'code-batch',
  'cli',
] as const;

/** URL parameters of the filter. */
export const filterNames = ['time', 'area', 'action', 'username', 'user_id', 'about_user', 'target'] as const;
export type FilterName = (typeof filterNames)[number];

const DAY = 24 * 3600;
const days = { '1d': 1, '7d': 7, '30d': 30 };

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function entryFilter(texts: Readonly<Record<FilterName, string | undefined>>, now = new Date()): EntryFilter {
  const preset = oneOf(texts.time, timePresets);
  const area = oneOf(texts.area, areas);
  return {
    start_timestamp: preset === undefined ? undefined : Math.floor(now.getTime() / 1000) - days[preset] * DAY,
    action: texts.action ?? (area && `${area}.`),
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    about_user: userId.safeParse(texts.about_user).data,
    target: texts.target,
  };
}
