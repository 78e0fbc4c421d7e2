import Box from '@mui/material/Box';
import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../../ui/display/monospace-text.tsx';
import { EmptyState } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../../ui/filters/filter-bar.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { localQuery } from '../../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../../ui/table/url-list-state.ts';
import { useOwners } from '../../model-owners/queries.ts';
import { rateToUsd } from '../editor/rate-units.ts';
import { everyPriceQuery } from '../queries.ts';
import { Locked, Owner } from './price-columns.tsx';

const sortValues = {
  models: ({ models }: PriceGroup) => models[0] ?? '',
  count: ({ models }: PriceGroup) => models.length,
  input: ({ price }: PriceGroup) => price.input,
  output: ({ price }: PriceGroup) => price.output,
};

interface PriceGroupsTableProps {
  /** Absent for read-only users. */
  onEdit?: (prices: readonly Price[]) => void;
}

/** Lists each distinct price with the models that share it. */
export function PriceGroupsTable({ onEdit }: PriceGroupsTableProps) {
  const { t } = useTranslation('prices');
  const { exactUsd } = useFormat();
  const list = useListState([], '-count');
  const owners = useOwners();
  const listed = useQuery(everyPriceQuery);
  const { data } = listed;
  const wanted = list.keyword.toLowerCase();
  const groups = useMemo(
    () =>
      data && groupPrices(data).filter(({ models }) => models.some((model) => model.toLowerCase().includes(wanted))),
    [data, wanted],
  );
  const columns = useMemo(() => groupColumns(t, owners, exactUsd), [t, owners, exactUsd]);
  const edit = ({ models }: PriceGroup) => {
    const own = new Set(models);
    onEdit?.((data ?? []).filter(({ model }) => own.has(model)));
  };
  return (
    <DataTable
      name="price-groups"
      label={t('title')}
      columns={columns}
      list={list}
      query={localQuery(groups, list, sortValues, listed)}
      rowId={({ price }) => price.model}
      {...(onEdit !== undefined && { onOpen: edit })}
      totals={t('unit')}
      filterBar={<FilterBar list={list} placeholder={t('search')} />}
      empty={<EmptyState>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

const column = columnsFor<PriceGroup>();

function groupColumns(t: TFunction<'prices'>, owners: readonly ModelOwner[], usd: (amount: number | null) => string) {
  const input = ({ price }: PriceGroup) => rateToUsd(price.type, price.rates.input);
  const output = ({ price }: PriceGroup) => (price.type === 'times' ? null : rateToUsd(price.type, price.rates.output));
  return [
    column.computed('models', t('models'), ({ models }) => models.join(', '), {
      size: 420,
      sortable: true,
      card: 'title',
      cell: (_, group) => <Models names={group.models} />,
    }),
    column.computed('count', t('count'), ({ models }) => models.length, {
      size: 90,
      sortable: true,
      align: 'end',
      card: 'figure',
    }),
    column.computed('owner', t('owner'), ({ price }) => price.channel_type, {
      size: 150,
      cell: (value) => <Owner owner={owners.find(({ id }) => id === value)} />,
    }),
    column.computed('input', t('input'), input, {
      size: 110,
      sortable: true,
      longLabel: t('inputUsd'),
      align: 'end',
      card: 'figure',
      cell: (value, group) => (group.price.type === 'times' ? t('eachCall', { price: usd(value) }) : usd(value)),
    }),
    column.computed('output', t('output'), output, {
      size: 110,
      sortable: true,
      longLabel: t('outputUsd'),
      align: 'end',
      cell: usd,
    }),
    column.computed('locked', t('locked'), ({ price }) => price.locked, {
      size: 110,
      card: 'state',
      cell: (value) => value && <Locked label={t('locked')} hint={t('lockedHint')} />,
    }),
  ];
}

function Models({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('prices');
  return (
    <Box component="span" sx={{ display: 'flex', gap: 1, minWidth: 0 }}>
      <Box component="span" sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{names[0]}</Mono>
      </Box>
      {names.length > 1 && (
        <Box component="span" sx={{ color: 'text.secondary', whiteSpace: 'nowrap', fontWeight: 400 }}>
          {t('showMore', { count: names.length - 1 })}
        </Box>
      )}
    </Box>
  );
}

/** Models whose prices are equal in every respect. */
interface PriceGroup {
  /** Sorted model names. */
  models: string[];
  /** Price of the first model. */
  price: Price;
}

function groupPrices(prices: readonly Price[]): PriceGroup[] {
  const groups = Map.groupBy(prices, ({ type, channel_type, rates, image_rates, tiers, locked }) =>
    JSON.stringify([
      type,
      channel_type,
      rates,
      Object.entries(image_rates).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      tiers,
      locked,
    ]),
  );
  return [...groups.values()].flatMap((members) => {
    const sorted = members.toSorted((one, other) => (one.model < other.model ? -1 : 1));
    const [price] = sorted;
    return price === undefined ? [] : [{ models: sorted.map(({ model }) => model), price }];
  });
}
