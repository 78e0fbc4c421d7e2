import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import type { Rates } from '@switchyard/contract/catalog/price-rates';
import type { Price } from '@switchyard/contract/catalog/prices';
import type { PriceMargin } from '@switchyard/contract/usage/analytics';
import { IconLock } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { Name } from '../../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../../ui/display/status-and-tag-chips.tsx';
import { ProviderLogo } from '../../../../ui/product/provider-logo.tsx';
import { monoCell } from '../../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../../ui/table/table-columns-and-props.ts';
import { rateToUsd } from '../editor/rate-units.ts';
import { Margin, shareKept } from './price-margin.tsx';

const column = columnsFor<Price>();

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
  return [
    column.field('model', t('model'), { size: 220, sortable: true, card: 'title', cell: monoCell }),
    column.field('channel_type', t('owner'), {
      size: 130,
      sortable: true,
      cell: (channelType) => <Owner owner={owners.find(({ id }) => id === channelType)} />,
    }),
    column.field('type', t('type'), { size: 84, sortable: true, cell: (type) => t(`typeName.${type}`) }),
    column.computed('input', t('input'), rate('input'), {
      size: 96,
      sortable: true,
      longLabel: t('inputUsd'),
      align: 'end',
      card: 'figure',
      cell: (value, price) => (price.type === 'times' ? t('eachCall', { price: usd(value) }) : usd(value)),
    }),
    column.computed('cachedRead', t('cachedRead'), rate('cachedRead'), {
      size: 112,
      longLabel: t('cachedReadUsd'),
      align: 'end',
      cell: usd,
    }),
    column.computed('cacheWrite5m', t('cacheWrite'), rate('cacheWrite5m'), {
      size: 96,
      longLabel: t('cacheWriteUsd'),
      align: 'end',
      // The table has room for either this column or the margin.
      hidden: margins !== undefined,
      cell: usd,
    }),
    column.computed('output', t('output'), output, {
      size: 96,
      sortable: true,
      longLabel: t('outputUsd'),
      align: 'end',
      card: 'figure',
      cell: usd,
    }),
    ...(margins === undefined
      ? []
      : [
          column.computed('margin', t('margin'), ({ model }) => shareKept(margins[model]), {
            size: 156,
            longLabel: t('marginLong'),
            align: 'end',
            cell: (_, price) => <Margin of={margins[price.model]} />,
          }),
        ]),
    column.field('locked', t('locked'), {
      size: 100,
      card: 'state',
      cell: (locked) => locked && <Locked label={t('locked')} hint={t('lockedHint')} />,
    }),
  ];
}

export function Owner({ owner }: { owner: ModelOwner | undefined }) {
  if (owner === undefined) return '–';
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', verticalAlign: 'middle', alignItems: 'center', gap: 1, maxWidth: '100%' }}
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
