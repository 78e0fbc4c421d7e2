import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { TagChips } from '../../../ui/display/chips.tsx';
import { Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { useOwners } from '../model-owners/queries.ts';
import { type Counter, type Groups, listPrice, type ModelRow, paidPrice } from './model-row.ts';
import { DefaultPriceChip, PriceCell } from './price-cell.tsx';

const helper = columnsFor<ModelRow>();

export const modelSortValues = {
  name: (row: ModelRow) => row.name,
  owner: (row: ModelRow) => row.owner,
  context: ({ facts }: ModelRow) => facts.context_length ?? null,
  input: (row: ModelRow) => paidPrice(row, 'input'),
  output: (row: ModelRow) => paidPrice(row, 'output'),
  cachedRead: (row: ModelRow) => paidPrice(row, 'cachedRead'),
};

/** @param hasTags whether any model has a tag */
export function modelColumns(t: TFunction<'models'>, groups: Groups, hasTags: boolean) {
  const priceColumn = (counter: Counter) =>
    helper.accessor((row) => paidPrice(row, counter), {
      id: counter,
      header: t(`price.${counter}`),
      size: 132,
      enableSorting: true,
      cell: ({ row: { original } }) =>
        original.price === null && counter === 'input' ? (
          <DefaultPriceChip />
        ) : (
          <PriceCell row={original} counter={counter} />
        ),
      meta: {
        label: t(`price.${counter}`),
        align: 'end',
        ...(counter === 'cachedRead' ? {} : { card: 'figure' as const }),
      },
    });
  return helper.columns([
    helper.accessor('name', {
      header: t('model'),
      size: 260,
      enableSorting: true,
      cell: ({ row }) => <ModelName row={row.original} />,
      meta: { label: t('model'), card: 'title' },
    }),
    helper.accessor('owner', {
      header: t('owner'),
      size: 130,
      enableSorting: true,
      meta: { label: t('owner') },
    }),
    helper.accessor(({ facts }) => facts.context_length ?? null, {
      id: 'context',
      header: t('known.context'),
      size: 100,
      enableSorting: true,
      cell: ({ row }) => <ContextCell tokens={row.original.facts.context_length} />,
      meta: { label: t('known.context'), align: 'end' },
    }),
    priceColumn('input'),
    priceColumn('cachedRead'),
    priceColumn('output'),
    helper.accessor((row) => listPrice(row.price, 'input'), {
      id: 'listed',
      header: t('listPrice'),
      size: 130,
      cell: ({ row }) => <PriceCell row={{ ...row.original, ratio: 1 }} counter="input" />,
      meta: { label: t('listPrice'), align: 'end', hidden: true },
    }),
    helper.accessor(({ facts }) => facts.description ?? '', {
      id: 'description',
      header: t('description'),
      size: 260,
      meta: { label: t('description'), hidden: true },
    }),
    ...(hasTags
      ? [
          helper.accessor(({ facts }) => (facts.tags ?? []).join(', '), {
            id: 'tags',
            header: t('tags'),
            size: 150,
            cell: ({ row }) => <TagChips tags={row.original.facts.tags ?? []} />,
            meta: { label: t('tags') },
          }),
        ]
      : []),
    helper.accessor((row) => groupNames(row, groups), {
      id: 'groups',
      header: t('groups'),
      size: 140,
      meta: { label: t('groups') },
    }),
  ]);
}

function groupNames({ groups: symbols }: ModelRow, groups: Groups): string {
  return symbols.map((symbol) => isolateBidi(groups[symbol]?.name ?? symbol)).join(', ');
}

/** Shows a model's token limit for one call; empty when it is unknown. */
function ContextCell({ tokens }: { tokens: number | undefined }) {
  const format = useFormat();
  return tokens === undefined ? null : <>{format.compact(tokens)}</>;
}

function ModelName({ row }: { row: ModelRow }) {
  const { t } = useTranslation('models');
  const icon = useOwners().find(({ name }) => name === row.owner)?.icon ?? row.owner;
  const { name } = row.facts;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <ProviderLogo provider={icon} />
      <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{row.name}</Mono>
        {name !== undefined && (
          <Box component="span" sx={{ ml: 1, color: 'text.secondary' }}>
            <Name>{name}</Name>
          </Box>
        )}
      </Box>
      {/* On phones the name is inside the card's button, which cannot contain another one. */}
      <Box sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <CopyButton text={row.name} what={t('modelId')} />
      </Box>
    </Box>
  );
}
