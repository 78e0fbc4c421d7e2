import type { TFunction } from 'i18next';
import { isolated } from '../../../i18n/isolated.ts';
import { TagChips } from '../../../ui/display/tag-chips.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { ContextCell } from './context-cell.tsx';
import { DefaultPriceChip } from './default-price-chip.tsx';
import { ModelName } from './model-name.tsx';
import { type Counter, type Groups, listPrice, type ModelRow, paidPrice } from './model-row.ts';
import { PriceCell } from './price-cell.tsx';

const helper = columnsFor<ModelRow>();

/** Value by which each sortable column is sorted. */
export const modelSortValues = {
  name: (row: ModelRow) => row.name,
  owner: (row: ModelRow) => row.owner,
  context: ({ facts }: ModelRow) => facts.context_length ?? null,
  input: (row: ModelRow) => paidPrice(row, 'input'),
  output: (row: ModelRow) => paidPrice(row, 'output'),
  cachedRead: (row: ModelRow) => paidPrice(row, 'cachedRead'),
};

/** @param hasTags whether any model has one */
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
  return symbols.map((symbol) => isolated(groups[symbol]?.name ?? symbol)).join(', ');
}
