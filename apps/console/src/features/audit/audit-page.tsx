import { useTranslation } from 'react-i18next';
import { useListState } from '../../ui/data-table/list-state.ts';
import { ExportLink } from '../../ui/export-link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ChainChip } from './chain-chip.tsx';
import { EntriesTable } from './entries-table.tsx';
import { entryFilter, filterNames } from './entry-filter.ts';
import { EntryFilters } from './entry-filters.tsx';
import { exportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

/** Who changed what, for root. */
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
