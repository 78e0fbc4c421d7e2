import { type UserId, usageRecordId } from '@switchyard/contract/ids';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { filterNames } from './record-filter.ts';
import { UsageRecordsTable } from './usage-records-table.tsx';

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
