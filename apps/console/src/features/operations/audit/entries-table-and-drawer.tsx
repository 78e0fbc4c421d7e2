import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { UserId } from '@switchyard/contract/ids';
import type { AuditEntry } from '@switchyard/contract/operations/audit';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { momentCell, optionalMonoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useActionSentence } from './action-sentence.ts';
import { EntryActor, EntryTarget } from './entry-actor-and-target.tsx';
import { EntryFilters, entryFilter, type FilterName, filterNames } from './entry-filters.tsx';
import { entryListQuery } from './queries.ts';

interface EntriesTableProps {
  list: ListState<FilterName>;
  filterBar: ReactNode;
}

/** Lists audit entries. `?open=` shows one of the page. */
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
        query={entries}
        rowId={(entry) => String(entry.id)}
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

const column = columnsFor<AuditEntry>();

function entryColumns(t: TFunction<'audit'>, sentence: (action: string) => string) {
  return [
    column.field('action', t('what'), { size: 280, card: 'title', cell: (action) => sentence(action) }),
    column.field('username', t('who'), { size: 160, card: 'figure', cell: (_, entry) => <EntryActor entry={entry} /> }),
    column.field('target', t('target'), { size: 160, cell: (target) => <EntryTarget target={target} /> }),
    column.field('address', t('address'), { size: 130, cell: optionalMonoCell }),
    column.field('created_at', t('time'), { size: 110, sortable: true, card: 'figure', cell: momentCell }),
  ];
}

interface EntryDrawerProps {
  entry: AuditEntry | undefined;
  onClose: () => void;
}

/** Shows an entry with the values before and after the change. */
function EntryDrawer({ entry, onClose }: EntryDrawerProps) {
  const sentence = useActionSentence();
  return (
    <DetailDrawer
      open={entry !== undefined}
      onClose={onClose}
      title={entry === undefined ? '' : sentence(entry.action)}
    >
      {entry !== undefined && <Entry entry={entry} />}
    </DetailDrawer>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('audit');
  const { changes, rest } = changesOf(entry.detail);
  const facts: DescriptionEntry[] = [
    [t('number'), `#${entry.id}`],
    [t('time'), <Moment key="time" seconds={entry.created_at} />],
    [t('who'), <EntryActor key="who" entry={entry} linked />],
    [t('target'), <EntryTarget key="target" target={entry.target} />],
    [t('address'), entry.address === '' ? UNKNOWN : <Mono key="address">{entry.address}</Mono>],
    [t('requestId'), entry.request_id === '' ? UNKNOWN : <Mono key="request">{entry.request_id}</Mono>],
  ];
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <DescriptionList facts={facts} />
      {changes.length > 0 && (
        <section>
          <Typography variant="h3" sx={{ mb: 1 }}>
            {t('changes')}
          </Typography>
          <DescriptionList
            facts={changes.map(({ field, before, after }) => [
              field,
              <Change key={field} before={before} after={after} />,
            ])}
          />
        </section>
      )}
      {Object.keys(rest).length > 0 && (
        <section>
          <Typography variant="h3" sx={{ mb: 1 }}>
            {t('detail')}
          </Typography>
          <CodeBlock code={JSON.stringify(rest, null, 2)} />
        </section>
      )}
    </Box>
  );
}

function Change({ before, after }: { before: string | undefined; after: string }) {
  return (
    <>
      {before !== undefined && (
        <>
          <Box component="del" sx={{ color: 'text.secondary' }}>
            <Mono>{before}</Mono>
          </Box>
          {' → '}
        </>
      )}
      <Box component="ins" sx={{ textDecoration: 'none' }}>
        <Mono>{after}</Mono>
      </Box>
    </>
  );
}

/** Changes of an entry. A secret appears only as `set` or `cleared`. */
const changesSchema = z.record(
  z.string(),
  z.union([z.object({ before: z.unknown(), after: z.unknown() }), z.string()]),
);

interface ValueChange {
  field: string;
  /** Undefined when the entry does not contain it. */
  before: string | undefined;
  after: string;
}

/** Splits an entry's detail into changes, formatted as text, and everything else. */
function changesOf(detail: Readonly<Record<string, unknown>>): {
  changes: ValueChange[];
  rest: Record<string, unknown>;
} {
  const { changes, ...rest } = detail;
  const parsed = changesSchema.safeParse(changes);
  if (!parsed.success) return { changes: [], rest: { ...detail } };
  return {
    changes: Object.entries(parsed.data).map(([field, change]) =>
      typeof change === 'string'
        ? { field, before: undefined, after: change }
        : { field, before: textOf(change.before), after: textOf(change.after) },
    ),
    rest,
  };
}

const textOf = (value: unknown): string =>
  value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** Lists the audit entries of a user's actions and of changes to the account. */
export function EntriesAboutUser({ id }: { id: UserId }) {
  const list = useListState(filterNames, '-created_at');
  const about = { ...list.filters, about_user: String(id) };
  return <EntriesTable list={{ ...list, filters: about }} filterBar={<EntryFilters list={list} />} />;
}
