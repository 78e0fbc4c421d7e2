import Box from '@mui/material/Box';
import { type UserId, usageRecordId } from '@switchyard/contract/ids';
import type { UsageRecord, UsageTotals } from '@switchyard/contract/usage/usage-records';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';
import { recordListQuery, recordTotalsQuery, type Scope } from './queries.ts';
import { recordColumns } from './record-columns.tsx';
import { RecordDrawer } from './record-drawer.tsx';
import { type FilterName, filterNames, RecordFilters, recordFilter } from './record-filters.tsx';

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

/** Lists one user's usage records for administrators. */
export function UserUsageRecords({ id }: { id: UserId }) {
  const { t } = useTranslation('usage-records');
  const list = useListState(filterNames, '-id');
  const [opened, setOpened] = useSearchParam('open');
  const { time, start_timestamp, end_timestamp } = list.filters;
  const ofUser = { ...list, filters: { ...noFilters, time, start_timestamp, end_timestamp, user_id: String(id) } };
  return (
    <>
      <UsageRecordsTable
        scope="everybody"
        list={ofUser}
        live={false}
        onOpen={(record) => setOpened(String(record.id))}
        filterBar={
          <>
            <TimeChip value={list.filters} />
            <LinkButton size="small" color="inherit" to={paths.usageRecords} search={{ user_id: String(id) }}>
              {t('inTheLog')}
            </LinkButton>
          </>
        }
      />
      <RecordDrawer scope="everybody" id={usageRecordId.safeParse(opened).data} onClose={() => setOpened(undefined)} />
    </>
  );
}

const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined])) as Record<
  (typeof filterNames)[number],
  undefined
>;
