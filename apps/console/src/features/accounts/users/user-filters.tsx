import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { type FilterName, madePresets, seenPresets } from './user-filter.ts';
import { roles, userStatuses } from './user-rules.ts';

const texts = ['balance_min', 'balance_max'] as const;

export function UserFilters({ list }: { list: ListState<FilterName> }) {
  const { t } = useTranslation(['users', 'shell']);
  const groups = useGroupOptions();
  const { filters, setFilter } = list;
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChip
        label={t('role')}
        value={filters.role}
        options={roles.map((role) => ({ value: role, label: t(`shell:role.${role}`) }))}
        onChange={(role) => setFilter('role', role)}
      />
      <FilterChip
        label={t('status')}
        value={filters.status}
        options={userStatuses.map((status) => ({ value: status, label: t(`statusName.${status}`) }))}
        onChange={(status) => setFilter('status', status)}
      />
      <FilterChip
        label={t('group')}
        value={filters.group}
        options={groups}
        onChange={(group) => setFilter('group', group)}
      />
      <FilterChip
        label={t('seen')}
        value={filters.seen}
        options={seenPresets.map((preset) => ({ value: preset, label: t(`seenName.${preset}`) }))}
        onChange={(seen) => setFilter('seen', seen)}
      />
      <FilterChip
        label={t('created')}
        value={filters.made}
        options={madePresets.map((preset) => ({ value: preset, label: t(`madeWithin.${preset}`) }))}
        onChange={(made) => setFilter('made', made)}
      />
      <FilterChip
        label={t('alarms')}
        value={filters.alarmed}
        options={[{ value: 'true', label: t('alarmed') }]}
        onChange={(alarmed) => setFilter('alarmed', alarmed)}
      />
      <TextFilters list={list} names={texts} labelOf={(name) => t(`filter.${name}`)} />
    </FilterBar>
  );
}
