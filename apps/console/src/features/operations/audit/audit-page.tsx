import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/file-buttons.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { EntriesTable } from './entries-table-and-drawer.tsx';
import { EntryFilters, entryFilter, filterNames } from './entry-filters.tsx';
import { auditStateQuery, exportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

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

/** Shows whether the audit log's hash chain is intact, which proves that no entry was changed. */
function ChainChip() {
  const { t } = useTranslation('audit');
  const state = useQuery(auditStateQuery).data;
  if (state === undefined) return null;
  return state.intact ? (
    <StatusChip tone="success" hint={t('intactHint', { count: state.entries })}>
      {t('intact')}
    </StatusChip>
  ) : (
    <StatusChip tone="error" hint={t('brokenHint')}>
      {t('broken', { id: state.broken_id })}
    </StatusChip>
  );
}
