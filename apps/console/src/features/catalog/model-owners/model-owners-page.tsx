import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { LazyOverlay } from '../../../ui/layout/lazy-overlay.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { ownersQuery, useRemoveOwner } from './queries.ts';

const OwnerEditor = lazy(() => import('./owner-editor.tsx').then((module) => ({ default: module.OwnerEditor })));

/** Lists the owners that a price can name. `?edit=` changes an added one, `?edit=new` adds one. */
export function ModelOwnersPage() {
  const { t } = useTranslation('model-owners');
  const mayWrite = useHasAccess('prices.write');
  const [edited, setEdited] = useSearchParam('edit');
  // Owners that the operator added come first.
  const list = useListState(['origin'], '-id');
  const listed = useQuery(ownersQuery);
  const { data } = listed;
  const wanted = list.keyword.toLowerCase();
  const { origin } = list.filters;
  const found = data?.filter(
    ({ id, name, built_in }) =>
      `${name} ${id}`.toLowerCase().includes(wanted) && (origin === undefined || built_in === (origin === 'shipped')),
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
          mayWrite && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => setEdited('new')} />
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
        query={localQuery(found, list, ownerSortValues, listed)}
        rowId={({ id }) => String(id)}
        {...(mayWrite
          ? {
              onOpen: edit,
              renderActions: (owner: ModelOwner) =>
                !owner.built_in && <OwnerMenu owner={owner} onEdit={() => edit(owner)} />,
            }
          : {})}
        filterBar={
          <FilterBar list={list} placeholder={t('search')}>
            <FilterChips
              list={list}
              chips={[
                {
                  name: 'origin',
                  label: t('origin'),
                  options: (['added', 'shipped'] as const).map((value) => ({ value, label: t(`originName.${value}`) })),
                },
              ]}
            />
          </FilterBar>
        }
        empty={<EmptyState>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <LazyOverlay open={isEdited}>
        <OwnerEditor
          open={isEdited}
          owner={added.find(({ id }) => String(id) === edited)}
          isNew={edited === 'new'}
          added={added}
          onClose={() => setEdited(undefined)}
        />
      </LazyOverlay>
    </>
  );
}

function OwnerMenu({ owner, onEdit }: { owner: ModelOwner; onEdit: () => void }) {
  const { t } = useTranslation(['model-owners', 'common']);
  const remove = useRemoveOwner();
  const { id, name, prices } = owner;
  return (
    <MoreMenu
      entries={[
        { label: t('common:edit'), onSelect: onEdit },
        {
          label: t('common:delete'),
          danger: true,
          apart: true,
          question: {
            title: t('deleteTitle', { name }),
            text: prices === 0 ? t('deleteText') : t('deleteTextUsed', { count: prices }),
          },
          onConfirm: async () => {
            await remove.mutateAsync(id);
            notify('success', t('deleted', { name }));
          },
        },
      ]}
    />
  );
}

const column = columnsFor<ModelOwner>();

const ownerSortValues = {
  id: ({ id }: ModelOwner) => id,
  name: ({ name }: ModelOwner) => name,
  prices: ({ prices }: ModelOwner) => prices,
};

function ownerColumns(t: TFunction<'model-owners'>) {
  return [
    column.field('name', t('name'), {
      size: 320,
      sortable: true,
      card: 'title',
      cell: (_, owner) => (
        <Box
          component="span"
          sx={{ display: 'inline-flex', verticalAlign: 'middle', alignItems: 'center', gap: 1.25, maxWidth: '100%' }}
        >
          <ProviderLogo provider={owner.icon} size={20} />
          <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            <Name id={owner.id}>{owner.name}</Name>
          </Box>
        </Box>
      ),
    }),
    column.field('id', t('id'), { size: 120, sortable: true, align: 'end', card: 'figure' }),
    column.field('prices', t('prices'), { size: 140, sortable: true, align: 'end', card: 'figure' }),
    column.field('built_in', t('origin'), {
      size: 160,
      card: 'state',
      cell: (builtIn) => (
        <StatusChip tone={builtIn ? 'neutral' : 'primary'} dot={false}>
          {t(builtIn ? 'originName.shipped' : 'originName.added')}
        </StatusChip>
      ),
    }),
  ];
}
