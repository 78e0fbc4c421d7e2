import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../ui/data-table/data-table.tsx';
import { useListState } from '../../ui/data-table/list-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExportLink } from '../../ui/export-link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { useSearchParam } from '../../ui/search-params.ts';
import { useActionSentence } from './action-sentence.ts';
import { ChainChip } from './chain-chip.tsx';
import { entryColumns } from './entry-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { entryFilter, filterNames } from './entry-filter.ts';
import { EntryFilters } from './entry-filters.tsx';
import { entryListQuery, exportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

/** Who changed what, for root. `?open=` shows one entry of the page. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const sentence = useActionSentence();
  const list = useListState(filterNames, NEWEST_FIRST);
  const [opened, setOpened] = useSearchParam('open');
  const { page, size, order, filters } = list;
  const filter = () => entryFilter(filters);
  const entries = useQuery(
    entryListQuery({ page, size, order, filters }, () => ({ ...filter(), page, size, order })),
  );
  const columns = useMemo(() => entryColumns(t, sentence), [t, sentence]);
  return (
    <>
      <PageHeader
        title={t('title')}
        aside={<ChainChip />}
        actions={<ExportLink href={exportUrl(filter())} />}
      />
      <DataTable
        name="audit"
        label={t('title')}
        columns={columns}
        list={list}
        rows={entries.data?.data}
        total={entries.data?.total_count}
        rowId={(entry) => String(entry.id)}
        fetching={entries.isFetching}
        error={entries.error}
        onRetry={() => void entries.refetch()}
        onOpen={(entry) => setOpened(String(entry.id))}
        filterBar={<EntryFilters list={list} />}
        empty={<EmptyState>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <EntryDrawer
        entry={entries.data?.data.find(({ id }) => String(id) === opened)}
        onClose={() => setOpened(undefined)}
      />
    </>
  );
}
