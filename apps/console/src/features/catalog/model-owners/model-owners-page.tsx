import Typography from '@mui/material/Typography';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { WhenOpened } from '../../../ui/layout/when-opened.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { useMay } from '../../accounts/session/queries.ts';
import { ownerColumns, ownerSortValues } from './owner-columns.tsx';
import { OwnerMenu } from './owner-menu.tsx';
import { ownersQuery } from './queries.ts';

const OwnerEditor = lazy(() =>
  import('./owner-editor.tsx').then((module) => ({ default: module.OwnerEditor })),
);

/** Owners that a price can name. `?edit=` changes one that was added, `?edit=new` adds one. */
export function ModelOwnersPage() {
  const { t } = useTranslation('model-owners');
  const mayWrite = useMay('prices.write');
  const [edited, setEdited] = useSearchParam('edit');
  // Those that were added come first.
  const list = useListState(['origin'], '-id');
  const { data, isFetching, error, refetch } = useQuery(ownersQuery);
  const wanted = list.keyword.toLowerCase();
  const { origin } = list.filters;
  const found = data?.filter(
    ({ id, name, built_in }) =>
      `${name} ${id}`.toLowerCase().includes(wanted) &&
      (origin === undefined || built_in === (origin === 'shipped')),
  );
  const added = data?.filter(({ built_in }) => !built_in) ?? [];
  const edit = ({ id, built_in }: ModelOwner) => {
    if (!built_in) setEdited(String(id));
  };
  const isEdited = mayWrite && edited !== undefined && data !== undefined;
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          mayWrite && (
            <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => setEdited('new')} />
          )
        }
      />
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>
        {t('intro')}
      </Typography>
      <DataTable
        name="model-owners"
        label={t('title')}
        columns={ownerColumns(t)}
        list={list}
        rows={found && localPage(found, list, ownerSortValues)}
        total={found?.length}
        rowId={({ id }) => String(id)}
        fetching={isFetching}
        error={error}
        onRetry={() => void refetch()}
        {...(mayWrite
          ? {
              onOpen: edit,
              renderActions: (owner: ModelOwner) =>
                !owner.built_in && <OwnerMenu owner={owner} onEdit={() => edit(owner)} />,
            }
          : {})}
        filterBar={
          <FilterBar list={list} placeholder={t('search')}>
            <FilterChip
              label={t('origin')}
              value={origin}
              options={(['added', 'shipped'] as const).map((value) => ({
                value,
                label: t(`originName.${value}`),
              }))}
              onChange={(value) => list.setFilter('origin', value)}
            />
          </FilterBar>
        }
        empty={<EmptyState>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <WhenOpened open={isEdited}>
        <OwnerEditor
          open={isEdited}
          owner={added.find(({ id }) => String(id) === edited)}
          isNew={edited === 'new'}
          added={added}
          onClose={() => setEdited(undefined)}
        />
      </WhenOpened>
    </>
  );
}
