import { apiKeyId, channelId, userId } from '@switchyard/contract/ids';
import type { RecordType } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip, FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { timeFilter } from '../../../ui/filters/time-presets.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { type ListState, oneOf } from '../../../ui/table/url-list-state.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { looksLikeRequestId, type RecordFilter, type Scope } from './queries.ts';

const recordTypes = ['consume', 'error', 'top-up', 'manage', 'system'] as const satisfies readonly RecordType[];

/** URL parameters of the filter; all except `time` are the contract's. The timestamps are a custom range. */
export const filterNames = [
  'time',
  'start_timestamp',
  'end_timestamp',
  'log_type',
  'model_name',
  'token_name',
  'token_id',
  'is_stream',
  'request_id',
  'username',
  'user_id',
  'channel_id',
  'group',
  'source_ip',
  'other_model',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterTexts = Readonly<Record<FilterName, string | undefined>>;

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function recordFilter(scope: Scope, texts: FilterTexts, now = new Date()): RecordFilter {
  const own: RecordFilter = {
    log_type: oneOf(texts.log_type, recordTypes),
    ...timeFilter(texts, now),
    model_name: texts.model_name,
    token_name: texts.token_name,
    token_id: apiKeyId.safeParse(texts.token_id).data,
    is_stream: texts.is_stream === undefined ? undefined : texts.is_stream === 'true',
    request_id: texts.request_id,
  };
  if (scope === 'own') return own;
  return {
    ...own,
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    channel_id: channelId.safeParse(texts.channel_id).data,
    group: texts.group,
    source_ip: texts.source_ip,
    other_model: texts.other_model === 'true' ? true : undefined,
  };
}

const ownTexts = ['token_name', 'token_id', 'request_id'] as const;
const allTexts = ['username', 'user_id', 'channel_id', ...ownTexts, 'source_ip'] as const;

interface RecordFiltersProps {
  list: ListState<FilterName>;
  scope: Scope;
  /** Returns the name of an id: user 7 is ada. */
  nameOf: (filter: FilterName, id: string) => string | undefined;
}

/** Renders the filters: time, type and stream always, the others when they are added. */
export function RecordFilters({ list, scope, nameOf }: RecordFiltersProps) {
  const { t } = useTranslation('usage-records');
  const { filters, setFilter } = list;
  return (
    <FilterBar list={searching(list, scope)} placeholder={t(scope === 'own' ? 'searchOwn' : 'search')}>
      <TimeChip value={filters} />
      <FilterChips
        list={list}
        chips={[
          { name: 'log_type', label: t('type'), options: toOptions(recordTypes, (type) => t(`typeName.${type}`)) },
          {
            name: 'is_stream',
            label: t('stream'),
            options: [
              { value: 'true', label: t('streamed') },
              { value: 'false', label: t('whole') },
            ],
          },
        ]}
      />
      {scope === 'everybody' && (
        <>
          <GroupChip value={filters.group} onChange={(group) => setFilter('group', group)} />
          <FilterChips
            list={list}
            chips={[
              { name: 'other_model', label: t('answeredBy'), options: [{ value: 'true', label: t('otherModel') }] },
            ]}
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

/** Lets the user enter a name where links filter by id. */
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

/** Makes the search box filter by model, or by request id or IP address when the text looks like one. */
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
