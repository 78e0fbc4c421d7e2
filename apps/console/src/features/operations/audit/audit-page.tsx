import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/export-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { ChainChip } from './chain-chip.tsx';
import { EntriesTable } from './entries-table.tsx';
import { entryFilter, filterNames } from './entry-filter.ts';
import { EntryFilters } from './entry-filters.tsx';
import { exportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

/** Shows root the audit log. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const list = useListState(filterNames, NEWEST_FIRST);
  return (
    <>
      <PageHeader
        title={t('title')}
        aside={<ChainChip />}
        actions={<ExportLink href={exportUrl(entryFilter(list.filters))} />}
      />
      <EntriesTable list={list} filterBar={<EntryFilters list={list} />} />
    </>
  );
}
