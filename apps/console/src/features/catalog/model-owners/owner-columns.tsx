import Box from '@mui/material/Box';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import type { TFunction } from 'i18next';
import { Name } from '../../../ui/display/name.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';

const helper = columnsFor<ModelOwner>();

/** Value by which each sortable column is sorted. */
export const ownerSortValues = {
  id: ({ id }: ModelOwner) => id,
  name: ({ name }: ModelOwner) => name,
  prices: ({ prices }: ModelOwner) => prices,
};

export function ownerColumns(t: TFunction<'model-owners'>) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 320,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <Box
          component="span"
          sx={{
            display: 'inline-flex',
            verticalAlign: 'middle',
            alignItems: 'center',
            gap: 1.25,
            minWidth: 0,
          }}
        >
          <ProviderLogo provider={original.icon} size={20} />
          <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            <Name id={original.id}>{original.name}</Name>
          </Box>
        </Box>
      ),
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('id', {
      header: t('id'),
      size: 120,
      enableSorting: true,
      meta: { label: t('id'), align: 'end', card: 'figure' },
    }),
    helper.accessor('prices', {
      header: t('prices'),
      size: 140,
      enableSorting: true,
      meta: { label: t('prices'), align: 'end', card: 'figure' },
    }),
    helper.accessor('built_in', {
      header: t('origin'),
      size: 160,
      cell: ({ getValue }) => (
        <StatusChip tone={getValue() ? 'neutral' : 'primary'} dot={false}>
          {t(getValue() ? 'originName.shipped' : 'originName.added')}
        </StatusChip>
      ),
      meta: { label: t('origin'), card: 'state' },
    }),
  ]);
}
