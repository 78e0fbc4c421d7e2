import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { TagChips } from '../../../ui/display/status-and-tag-chips.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useOwners } from '../model-owners/queries.ts';
import { DefaultPriceChip, PriceCell } from './model-price-cell-and-unit.tsx';
import { type Counter, type Groups, listPrice, type ModelRow, paidPrice } from './model-rows-and-list-price.ts';

const column = columnsFor<ModelRow>();

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
    column.computed(counter, t(`price.${counter}`), (row) => paidPrice(row, counter), {
      size: 132,
      sortable: true,
      align: 'end',
      ...(counter === 'cachedRead' ? {} : { card: 'figure' as const }),
      cell: (_, row) =>
        row.price === null && counter === 'input' ? <DefaultPriceChip /> : <PriceCell row={row} counter={counter} />,
    });
  return [
    column.field('name', t('model'), {
      size: 260,
      sortable: true,
      card: 'title',
      cell: (_, row) => <ModelName row={row} />,
    }),
    column.field('owner', t('owner'), { size: 130, sortable: true }),
    column.computed('context', t('known.context'), ({ facts }) => facts.context_length ?? null, {
      size: 100,
      sortable: true,
      align: 'end',
      cell: (_, row) => <ContextCell tokens={row.facts.context_length} />,
    }),
    priceColumn('input'),
    priceColumn('cachedRead'),
    priceColumn('output'),
    column.computed('listed', t('listPrice'), (row) => listPrice(row.price, 'input'), {
      size: 130,
      align: 'end',
      hidden: true,
      cell: (_, row) => <PriceCell row={{ ...row, ratio: 1 }} counter="input" />,
    }),
    column.computed('description', t('description'), ({ facts }) => facts.description ?? '', {
      size: 260,
      hidden: true,
    }),
    ...(hasTags
      ? [
          column.computed('tags', t('tags'), ({ facts }) => (facts.tags ?? []).join(', '), {
            size: 150,
            cell: (_, row) => <TagChips tags={row.facts.tags ?? []} />,
          }),
        ]
      : []),
    column.computed('groups', t('groups'), (row) => groupNames(row, groups), { size: 140 }),
  ];
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
