import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { useActionSentence } from './action-sentence.ts';
import { entryColumns } from './entry-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { entryFilter, type FilterName } from './entry-filter.ts';
import { entryListQuery } from './queries.ts';

interface EntriesTableProps {
  list: ListState<FilterName>;
  filterBar: ReactNode;
}

/** Entries of the audit log. `?open=` shows one of the page. */
export function EntriesTable({ list, filterBar }: EntriesTableProps) {
  const { t } = useTranslation('audit');
  const sentence = useActionSentence();
  const [opened, setOpened] = useSearchParam('open');
  const { page, size, order, filters } = list;
  const entries = useQuery(
    entryListQuery({ page, size, order, filters }, () => ({ ...entryFilter(filters), page, size, order })),
  );
  const columns = useMemo(() => entryColumns(t, sentence), [t, sentence]);
  return (
    <>
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
        filterBar={filterBar}
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
