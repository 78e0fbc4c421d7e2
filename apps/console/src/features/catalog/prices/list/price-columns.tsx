import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import type { Price } from '@switchyard/contract/catalog/prices';
import type { Rates } from '@switchyard/contract/catalog/rates';
import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { IconLock } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { StatusChip } from '../../../../ui/display/chips.tsx';
import { Name } from '../../../../ui/display/inline-values.tsx';
import { Mono } from '../../../../ui/display/mono.tsx';
import { ProviderLogo } from '../../../../ui/product/provider-logo.tsx';
import { columnsFor } from '../../../../ui/table/table-features.ts';
import { rateToUsd } from '../editor/price-kinds.ts';
import { Margin, shareKept } from './margin.tsx';

const helper = columnsFor<Price>();

interface ColumnContext {
  t: TFunction<'prices'>;
  owners: readonly ModelOwner[];
  /** Margins by the price's model; undefined for users who may not see them. */
  margins: Readonly<Record<string, PriceMargin>> | undefined;
  usd: (amount: number | null) => string;
}

export function priceColumns({ t, owners, margins, usd }: ColumnContext) {
  const rate = (kind: keyof Rates) => (price: Price) => {
    const own = price.rates[kind];
    return own === null ? null : rateToUsd(price.type, own);
  };
  const output = (price: Price) => (price.type === 'times' ? null : rate('output')(price));
  return helper.columns([
    helper.accessor('model', {
      header: t('model'),
      size: 220,
      enableSorting: true,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('model'), card: 'title' },
    }),
    helper.accessor('channel_type', {
      header: t('owner'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Owner owner={owners.find(({ id }) => id === getValue())} />,
      meta: { label: t('owner') },
    }),
    helper.accessor('type', {
      header: t('type'),
      size: 75,
      enableSorting: true,
      cell: ({ getValue }) => t(`typeName.${getValue()}`),
      meta: { label: t('type') },
    }),
    helper.accessor(rate('input'), {
      id: 'input',
      header: t('input'),
      size: 96,
      enableSorting: true,
      cell: ({ row, getValue }) =>
        row.original.type === 'times' ? t('eachCall', { price: usd(getValue()) }) : usd(getValue()),
      meta: { label: t('inputUsd'), align: 'end', card: 'figure' },
    }),
    helper.accessor(rate('cachedRead'), {
      id: 'cachedRead',
      header: t('cachedRead'),
      size: 112,
      cell: ({ getValue }) => usd(getValue()),
      meta: { label: t('cachedReadUsd'), align: 'end' },
    }),
    helper.accessor(rate('cacheWrite5m'), {
      id: 'cacheWrite5m',
      header: t('cacheWrite'),
      size: 96,
      cell: ({ getValue }) => usd(getValue()),
      // The table has room for either this column or the margin.
      meta: { label: t('cacheWriteUsd'), align: 'end', hidden: margins !== undefined },
    }),
    helper.accessor(output, {
      id: 'output',
      header: t('output'),
      size: 96,
      enableSorting: true,
      cell: ({ getValue }) => usd(getValue()),
      meta: { label: t('outputUsd'), align: 'end', card: 'figure' },
    }),
    ...(margins === undefined
      ? []
      : [
          helper.accessor(({ model }) => shareKept(margins[model]), {
            id: 'margin',
            header: t('margin'),
            size: 165,
            cell: ({ row }) => <Margin of={margins[row.original.model]} />,
            meta: { label: t('marginLong'), align: 'end' },
          }),
        ]),
    helper.accessor('locked', {
      header: t('locked'),
      size: 100,
      cell: ({ getValue }) => getValue() && <Locked label={t('locked')} hint={t('lockedHint')} />,
      meta: { label: t('locked'), card: 'state' },
    }),
  ]);
}

export function Owner({ owner }: { owner: ModelOwner | undefined }) {
  if (owner === undefined) return '–';
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', verticalAlign: 'middle', alignItems: 'center', gap: 1, minWidth: 0 }}
    >
      <ProviderLogo provider={owner.icon} size={16} />
      <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Name id={owner.id}>{owner.name}</Name>
      </Box>
    </Box>
  );
}

export function Locked({ label, hint }: { label: string; hint: string }) {
  return (
    <Tooltip title={hint}>
      <span>
        <StatusChip tone="neutral" dot={false}>
          <IconLock size={13} aria-hidden />
          {label}
        </StatusChip>
      </span>
    </Tooltip>
  );
}
