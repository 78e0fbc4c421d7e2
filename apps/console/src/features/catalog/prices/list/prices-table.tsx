import Button from '@mui/material/Button';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../../../ui/actions/confirm-button.tsx';
import { MoreMenu } from '../../../../ui/actions/more-menu.tsx';
import { EmptyState } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../../ui/filters/filter-chip.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { toOptions } from '../../../../ui/inputs/select-options.ts';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../../ui/table/url-list-state.ts';
import { ownerOptions, useOwners } from '../../model-owners/queries.ts';
import { priceTypes } from '../editor/rate-units.ts';
import { listPrices, priceListQuery } from '../queries.ts';
import { priceColumns } from './price-columns.tsx';
import { useMargins } from './price-margin.tsx';
import { usePriceActions } from './use-price-actions.ts';

interface PricesTableProps {
  mayWrite: boolean;
  onEdit: (price: Price) => void;
  onEditTogether: (prices: readonly Price[]) => void;
  onCalculate: (price: Price) => void;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

export function PricesTable({ mayWrite, onEdit, onEditTogether, onCalculate, empty }: PricesTableProps) {
  const { t } = useTranslation('prices');
  const { exactUsd: usd } = useFormat();
  const list = useListState(['type', 'owner'], 'model');
  const owners = useOwners();
  const owner = Number(list.filters.owner);
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    type: oneOf(list.filters.type, priceTypes),
    channel_type: list.filters.owner === undefined || !Number.isSafeInteger(owner) ? undefined : owner,
  };
  const listed = useQuery(priceListQuery(query));
  const margins = useMargins();
  const columns = useMemo(() => priceColumns({ t, owners, margins, usd }), [t, owners, margins, usd]);
  return (
    <DataTable
      name="prices"
      label={t('title')}
      columns={columns}
      list={list}
      query={listed}
      rowId={({ model }) => model}
      onOpen={mayWrite ? onEdit : onCalculate}
      {...(mayWrite && {
        renderActions: (price: Price) => <PriceMenu price={price} onEdit={onEdit} onCalculate={onCalculate} />,
        renderBulkActions: (prices: Price[], done: () => void) => (
          <PriceBulkActions prices={prices} onEdit={onEditTogether} onDone={done} />
        ),
      })}
      fetchPage={(page, size) => listPrices({ ...query, page, size })}
      totals={t('unit')}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChips
            list={list}
            chips={[
              { name: 'type', label: t('type'), options: toOptions(priceTypes, (type) => t(`typeName.${type}`)) },
              { name: 'owner', label: t('owner'), options: ownerOptions(owners) },
            ]}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

interface PriceBulkActionsProps {
  prices: readonly Price[];
  onEdit: (prices: readonly Price[]) => void;
  onDone: () => void;
}

function PriceBulkActions({ prices, onEdit, onDone }: PriceBulkActionsProps) {
  const { t } = useTranslation('prices');
  const { remove } = usePriceActions();
  return (
    <>
      <Button size="small" variant="outlined" onClick={() => onEdit(prices)}>
        {t('editTogether')}
      </Button>
      <BulkDelete
        count={prices.length}
        title={t('deleteTitle', { count: prices.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(prices);
          onDone();
        }}
      />
    </>
  );
}

interface PriceMenuProps {
  price: Price;
  onEdit: (price: Price) => void;
  onCalculate: (price: Price) => void;
}

function PriceMenu({ price, onEdit, onCalculate }: PriceMenuProps) {
  const { t } = useTranslation(['prices', 'common']);
  const { setLocked, remove } = usePriceActions();
  return (
    <MoreMenu
      entries={[
        { label: t('common:edit'), onSelect: () => onEdit(price) },
        { label: t('calculate'), onSelect: () => onCalculate(price) },
        { label: t(price.locked ? 'unlock' : 'lock'), onSelect: () => void setLocked(price, !price.locked) },
        {
          label: t('common:delete'),
          danger: true,
          apart: true,
          question: { title: t('deleteOneTitle', { model: price.model }), text: t('deleteText') },
          onConfirm: () => remove([price]),
        },
      ]}
    />
  );
}
