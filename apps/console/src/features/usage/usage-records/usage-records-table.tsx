import Box from '@mui/material/Box';
import type { UsageRecord, UsageTotals } from '@switchyard/contract/usage/usage-records';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip, FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/url-list-state.ts';
import { useGroupName, useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { looksLikeRequestId, recordListQuery, recordTotalsQuery, type Scope } from './queries.ts';
import { recordColumns } from './record-columns.tsx';
import { type FilterName, recordFilter, recordTypes } from './record-filter.ts';

interface UsageRecordsTableProps {
  scope: Scope;
  list: ListState<FilterName>;
  live: boolean;
  onOpen: (record: UsageRecord) => void;
  /** Content that replaces all filters. */
  filterBar?: ReactNode;
}

export function UsageRecordsTable({ scope, list, live, onOpen, filterBar }: UsageRecordsTableProps) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const groupName = useGroupName();
  const { page, size, order, filters } = list;
  const filter = () => recordFilter(scope, filters);
  const records = useQuery(
    recordListQuery({
      scope,
      key: { page, size, order, filters },
      query: () => ({ ...filter(), page, size, order }),
      live,
    }),
  );
  const totals = useQuery(recordTotalsQuery({ scope, key: filters, filter, live })).data;
  const columns = useMemo(
    () => recordColumns(t, scope, { number: format.number, groupName }),
    [t, scope, format, groupName],
  );
  return (
    <DataTable
      name={`log-${scope}`}
      label={t('title')}
      columns={columns}
      list={list}
      query={records}
      rowId={(record) => String(record.id)}
      fetching={records.isFetching && !live}
      onOpen={onOpen}
      totals={<RecordTotals totals={totals} />}
      filterBar={filterBar ?? <RecordFilters list={list} scope={scope} nameOf={nameIn(records.data?.data ?? [])} />}
      empty={<EmptyState>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

/** Returns a function that finds the name of a filter's id in the rows; undefined if no row has it. */
function nameIn(rows: readonly UsageRecord[]) {
  return (filter: FilterName, id: string): string | undefined => {
    if (filter === 'user_id') return rows.find((row) => String(row.user_id) === id)?.username;
    if (filter === 'token_id') return rows.find((row) => String(row.token_id) === id)?.token_name;
    if (filter === 'channel_id') return rows.find((row) => String(row.channel?.id) === id)?.channel?.name;
    return undefined;
  };
}

/** Shows the sums of all matching records. */
function RecordTotals({ totals }: { totals: UsageTotals | undefined }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  if (totals === undefined) return null;
  return (
    <>
      <Total label={t('calls')}>{format.number(totals.requests)}</Total>
      <Total label={t('input')}>{format.compact(totals.prompt_tokens)}</Total>
      <Total label={t('output')}>{format.compact(totals.completion_tokens)}</Total>
      <Total label={t('cost')}>
        <Money points={totals.quota} />
      </Total>
    </>
  );
}

function Total({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span>
      <Box component="span" sx={{ color: 'text.secondary', mr: 0.5 }}>
        {label}
      </Box>
      <Box component="span" sx={{ fontWeight: 500 }}>
        {children}
      </Box>
    </span>
  );
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
function RecordFilters({ list, scope, nameOf }: RecordFiltersProps) {
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
