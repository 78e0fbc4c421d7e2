import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { lazy, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { useModelMetadataText } from '../../../ui/display/model-metadata-text.ts';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, TagChips } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { LazyOverlay } from '../../../ui/layout/lazy-overlay.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { saveFile } from '../../../ui/table/csv-export.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type DetailRow, detailRow, detailSortValues, filterDetails, sources } from './model-detail-rows.ts';
import { describedModelsQuery, useRemoveDetail } from './queries.ts';

const DetailEditor = lazy(() => import('./detail-editor.tsx').then((module) => ({ default: module.DetailEditor })));
const ImportDialog = lazy(() => import('./import-dialog.tsx').then((module) => ({ default: module.ImportDialog })));

const noRows: readonly DetailRow[] = [];

/** Lists model metadata. `?show=` is `new`, `import` or `edit`; `edit` uses `?model=`. */
export function ModelDetailsPage() {
  const { t } = useTranslation('model-details');
  const mayWrite = useHasAccess('prices.write');
  const { compact } = useFormat();
  const words = useModelMetadataText();
  const { show, model } = useSearchParams();
  const setSearch = useSetSearchParams();
  // Manually entered metadata comes first.
  const list = useListState(['source', 'offered', 'tag'], 'source');
  const listed = useQuery(describedModelsQuery);
  const { data } = listed;
  const rows = useMemo(() => data?.map(detailRow), [data]);
  const tags = useMemo(() => [...new Set(rows?.flatMap(({ facts }) => facts.tags ?? []))].toSorted(), [rows]);
  const found = rows && filterDetails(rows, { keyword: list.keyword, ...list.filters });
  const open = (what: 'new' | 'edit' | 'import', about?: string) => setSearch({ show: what, model: about }, 'push');
  const close = () => setSearch({ show: undefined, model: undefined }, 'push');
  const edited = mayWrite && (show === 'new' || show === 'edit');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <ExportButton rows={rows ?? noRows} />
            {mayWrite && (
              <>
                <Button color="inherit" startIcon={<IconUpload size={18} />} onClick={() => open('import')}>
                  {t('import')}
                </Button>
                <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => open('new')} />
              </>
            )}
          </>
        }
      />
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>
        {t('intro')}
      </Typography>
      <DataTable
        name="model-details"
        label={t('title')}
        columns={detailColumns({ t, words, compact })}
        list={list}
        query={localQuery(found, list, detailSortValues, listed)}
        rowId={(row) => row.model}
        {...(mayWrite
          ? {
              onOpen: (row: DetailRow) => open('edit', row.model),
              renderActions: (row: DetailRow) => <DetailMenu row={row} onEdit={() => open('edit', row.model)} />,
            }
          : {})}
        filterBar={<Filters list={list} tags={tags} />}
        empty={<EmptyState>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <LazyOverlay open={edited && rows !== undefined}>
        <DetailEditor
          open={edited}
          model={show === 'edit' ? model : undefined}
          rows={rows ?? noRows}
          tags={tags}
          onClose={close}
        />
      </LazyOverlay>
      <LazyOverlay open={mayWrite && show === 'import'}>
        {show === 'import' && <ImportDialog onClose={close} />}
      </LazyOverlay>
    </>
  );
}

function Filters({ list, tags }: { list: ListState<'source' | 'offered' | 'tag'>; tags: readonly string[] }) {
  const { t } = useTranslation('model-details');
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          { name: 'source', label: t('source'), options: toOptions(sources, (value) => t(`sourceName.${value}`)) },
          {
            name: 'offered',
            label: t('offered'),
            options: toOptions(['true', 'false'] as const, (value) => t(`offeredName.${value}`)),
          },
          { name: 'tag', label: t('tag'), options: toOptions(tags) },
        ]}
      />
    </FilterBar>
  );
}

/** Exports the manually entered metadata as a list that can be imported. */
function ExportButton({ rows }: { rows: readonly DetailRow[] }) {
  const { t } = useTranslation('model-details');
  const models = rows.flatMap(({ model, own }) => (own === null ? [] : [{ model, ...own }]));
  return (
    <Button
      color="inherit"
      disabled={models.length === 0}
      startIcon={<IconDownload size={18} />}
      onClick={() => saveFile('model-details.json', `${JSON.stringify({ models }, null, 2)}\n`, 'application/json')}
    >
      {t('export')}
    </Button>
  );
}

function DetailMenu({ row, onEdit }: { row: DetailRow; onEdit: () => void }) {
  const { t } = useTranslation(['model-details', 'common']);
  const remove = useRemoveDetail();
  const { model, listed, own } = row;
  return (
    <MoreMenu
      entries={[
        { label: t('common:edit'), onSelect: onEdit },
        ...(own === null
          ? []
          : [
              {
                label: t('common:delete'),
                danger: true,
                apart: true,
                question: {
                  title: t('deleteTitle', { model }),
                  text: t(listed === null ? 'deleteText' : 'deleteTextListed'),
                },
                onConfirm: async () => {
                  await remove.mutateAsync(model);
                  notify('success', t('deleted', { model }));
                },
              },
            ]),
      ]}
    />
  );
}

const column = columnsFor<DetailRow>();

interface ColumnContext {
  t: TFunction<'model-details'>;
  words: ReturnType<typeof useModelMetadataText>;
  compact: (value: number) => string;
}

function detailColumns({ t, words, compact }: ColumnContext) {
  const tokens = (value: number | null) => (value === null ? UNKNOWN : compact(value));
  return [
    column.field('model', t('model'), {
      size: 235,
      sortable: true,
      card: 'title',
      cell: (model) => <ModelId model={model} what={t('modelId')} />,
    }),
    column.computed('name', t('name'), ({ facts }) => facts.name ?? null, {
      size: 135,
      sortable: true,
      cell: (name) => name !== null && <Name>{name}</Name>,
    }),
    column.computed('context', t('context'), ({ facts }) => facts.context_length ?? null, {
      size: 85,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: tokens,
    }),
    column.computed('output', t('outputMax'), ({ facts }) => facts.output_max ?? null, {
      size: 120,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: tokens,
    }),
    column.computed('takes', t('input'), ({ facts }) => words.kinds(facts.input ?? []), { size: 125 }),
    column.computed('gives', t('output'), ({ facts }) => words.kinds(facts.output ?? []), { size: 85 }),
    column.computed('tags', t('tags'), ({ facts }) => (facts.tags ?? []).join(', '), {
      size: 120,
      cell: (_, row) => <TagChips tags={row.facts.tags ?? []} />,
    }),
    column.field('source', t('source'), {
      size: 130,
      sortable: true,
      card: 'state',
      cell: (source) => (
        <StatusChip tone={source === 'own' || source === 'both' ? 'primary' : 'neutral'} dot={false}>
          {t(`sourceName.${source}`)}
        </StatusChip>
      ),
    }),
  ];
}

function ModelId({ model, what }: { model: string; what: string }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, minWidth: 0 }}>
      <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{model}</Mono>
      </Box>
      {/* On phones the name is inside the card's button, which cannot contain another one. */}
      <Box sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <CopyButton text={model} what={what} />
      </Box>
    </Box>
  );
}
