import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-chip.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { looksLikeRequestId, type Scope } from './queries.ts';
import { type FilterName, recordTypes } from './record-filter.ts';

const ownTexts = ['token_name', 'token_id', 'request_id'] as const;
const allTexts = ['username', 'user_id', 'channel_id', ...ownTexts, 'source_ip'] as const;

interface RecordFiltersProps {
  list: ListState<FilterName>;
  scope: Scope;
  /** Names that belong to ids on the screen: user 7 is ada. */
  nameOf: (filter: FilterName, id: string) => string | undefined;
}

/** Time, type and stream are always in sight; the others are added when they are wanted. */
export function RecordFilters({ list, scope, nameOf }: RecordFiltersProps) {
  const { t } = useTranslation('usage-records');
  const setParams = useSetSearchParams();
  const { filters, setFilter } = list;
  return (
    <FilterBar list={searching(list, scope)} placeholder={t(scope === 'own' ? 'searchOwn' : 'search')}>
      <TimeChip
        value={filters}
        onChange={({ time, start_timestamp, end_timestamp }) =>
          setParams({ time, start_timestamp, end_timestamp, page: undefined })
        }
      />
      <FilterChip
        label={t('type')}
        value={filters.log_type}
        options={recordTypes.map((type) => ({ value: type, label: t(`typeName.${type}`) }))}
        onChange={(type) => setFilter('log_type', type)}
      />
      <FilterChip
        label={t('stream')}
        value={filters.is_stream}
        options={[
          { value: 'true', label: t('streamed') },
          { value: 'false', label: t('whole') },
        ]}
        onChange={(value) => setFilter('is_stream', value)}
      />
      {scope === 'everybody' && (
        <>
          <GroupChip value={filters.group} onChange={(group) => setFilter('group', group)} />
          <FilterChip
            label={t('answeredBy')}
            value={filters.other_model}
            options={[{ value: 'true', label: t('otherModel') }]}
            onChange={(value) => setFilter('other_model', value)}
          />
        </>
      )}
      <TextFilters
        list={typing(list)}
        names={scope === 'own' ? ownTexts : allTexts}
        labelOf={(name) => t(`filter.${name}`)}
        shownOf={nameOf}
      />
    </FilterBar>
  );
}

function GroupChip({ value, onChange }: { value: string | undefined; onChange: (value?: string) => void }) {
  const { t } = useTranslation('usage-records');
  return <FilterChip label={t('group')} value={value} options={useGroupOptions()} onChange={onChange} />;
}

const byName: Partial<Record<FilterName, FilterName>> = { user_id: 'username', token_id: 'token_name' };

/** Links narrow by id; whoever types may give a name as well. */
function typing(list: ListState<FilterName>): ListState<FilterName> {
  return {
    ...list,
    setFilter: (name, value) => {
      const isName = value !== undefined && !/^\d+$/.test(value);
      list.setFilter((isName ? byName[name] : undefined) ?? name, value);
    },
  };
}

const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]+)$/i;

/** The box searches models; a request id or an address in it becomes that filter. */
function searching(list: ListState<FilterName>, scope: Scope): ListState<FilterName> {
  return {
    ...list,
    keyword: list.filters.model_name ?? '',
    setKeyword: (text) => {
      if (looksLikeRequestId(text)) list.setFilter('request_id', text);
      else if (scope === 'everybody' && ADDRESS.test(text)) list.setFilter('source_ip', text);
      else list.setFilter('model_name', text);
    },
  };
}
