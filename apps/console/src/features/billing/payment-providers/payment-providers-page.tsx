import Button from '@mui/material/Button';
import Switch from '@mui/material/Switch';
import { paymentProviderTypes } from '@switchyard/contract/billing/payment-provider-types';
import type { PaymentProvider } from '@switchyard/contract/billing/payment-providers';
import { MICROS } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { paymentProviderId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { InlineNumber } from '../../../ui/actions/inline-number-input.tsx';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { PaymentProviderName } from '../../../ui/product/payment-provider-label.tsx';
import { momentCell, monoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { PaymentProviderEditor } from './payment-provider-editor.tsx';
import { paymentProviderListQuery, useQuickPaymentProviderChange, useRemovePaymentProvider } from './queries.ts';

/** Lists the payment providers. `?edit=` changes one, `?edit=new` creates one. */
export function PaymentProvidersPage() {
  const { t } = useTranslation('processors');
  const [edited, setEdited] = useSearchParam('edit');
  const may = useHasAccess('processors.write');
  const editedId = edited === 'new' ? 'new' : paymentProviderId.safeParse(edited).data;
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={may && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <ProcessorsTable
        onEdit={may ? (processor) => setEdited(String(processor.id)) : undefined}
        empty={
          may && (
            <Button variant="contained" onClick={create}>
              {t('new')}
            </Button>
          )
        }
      />
      <PaymentProviderEditor
        id={may ? editedId : undefined}
        onClose={() => setEdited(undefined)}
        onCreated={(id) => setEdited(String(id))}
      />
    </>
  );
}

interface ProcessorsTableProps {
  /** Undefined for read-only users. */
  onEdit: ((processor: PaymentProvider) => void) | undefined;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

function ProcessorsTable({ onEdit, empty }: ProcessorsTableProps) {
  const { t } = useTranslation('processors');
  const format = useFormat();
  const list = useListState(['type'], '-sort');
  const type = oneOf(list.filters.type, paymentProviderTypes);
  const query = { page: list.page, size: list.size, order: list.order, name: list.keyword, type };
  const listed = useQuery(paymentProviderListQuery(query));
  const columns = useMemo(() => processorColumns(t, format), [t, format]);
  return (
    <DataTable
      name="processors"
      label={t('title')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(processor) => String(processor.id)}
      {...(onEdit === undefined ? {} : { onOpen: onEdit })}
      renderActions={(processor) => <ProcessorMenu processor={processor} onEdit={onEdit} />}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChips
            list={list}
            chips={[
              {
                name: 'type',
                label: t('type'),
                options: toOptions(paymentProviderTypes, (value) => t(`typeName.${value}`)),
              },
            ]}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

interface ProcessorMenuProps {
  processor: PaymentProvider;
  /** Undefined for read-only users. */
  onEdit: ((processor: PaymentProvider) => void) | undefined;
}

function ProcessorMenu({ processor, onEdit }: ProcessorMenuProps) {
  const { t } = useTranslation(['processors', 'common']);
  const { remove } = usePaymentProviderActions();
  const mayOrders = useHasAccess('orders.read');
  const navigate = useNavigate();
  const goToOrders = () => void navigate({ to: paths.orders, search: { gateway_id: String(processor.id) } });
  return (
    <MoreMenu
      entries={[
        ...(onEdit === undefined ? [] : [{ label: t('common:edit'), onSelect: () => onEdit(processor) }]),
        ...(mayOrders ? [{ label: t('itsOrders'), onSelect: goToOrders }] : []),
        ...(onEdit === undefined
          ? []
          : [
              {
                label: t('common:delete'),
                danger: true,
                apart: true,
                question: { title: t('deleteTitle', { name: processor.name }), text: t('deleteText') },
                onConfirm: () => remove(processor),
              },
            ]),
      ]}
    />
  );
}

const column = columnsFor<PaymentProvider>();

function processorColumns(t: TFunction<'processors'>, format: ReturnType<typeof useFormat>) {
  return [
    column.field('name', t('name'), {
      size: 240,
      sortable: true,
      card: 'title',
      cell: (_, provider) => (
        <PaymentProviderName
          id={provider.id}
          type={provider.type}
          icon={provider.icon}
          name={provider.name}
          chip={provider.sandbox && <StatusChip tone="warning">{t('sandboxChip')}</StatusChip>}
        />
      ),
    }),
    column.field('type', t('type'), {
      size: 130,
      sortable: true,
      card: 'figure',
      cell: (type) => t(`typeName.${type}`),
    }),
    column.field('currency', t('currency'), { size: 100 }),
    column.computed('fees', t('fees'), (provider) => feesOf(provider, format), {
      size: 140,
      align: 'end',
      card: 'figure',
    }),
    column.field('exchange_rate', t('exchangeRate'), {
      size: 150,
      align: 'end',
      cell: (exchangeRate) => (exchangeRate === 0 ? t('asInSettings') : format.number(exchangeRate / MICROS, 6)),
    }),
    column.field('enable', t('enable'), {
      size: 110,
      sortable: true,
      card: 'state',
      cell: (_, provider) => <EnableCell processor={provider} />,
    }),
    column.field('sort', t('sort'), {
      size: 100,
      sortable: true,
      align: 'end',
      cell: (_, provider) => <SortCell processor={provider} />,
    }),
    column.field('uuid', t('uuid'), { size: 280, hidden: true, cell: monoCell }),
    column.field('created_at', t('created'), { size: 130, sortable: true, hidden: true, cell: momentCell }),
  ];
}

function feesOf({ fixed_fee, percent_fee }: PaymentProvider, format: ReturnType<typeof useFormat>): string {
  const percent = format.percent(percent_fee / MICROS, 2);
  if (fixed_fee === 0) return percent;
  return percent_fee === 0 ? format.usd(fixed_fee / MICROS) : `${percent} + ${format.usd(fixed_fee / MICROS)}`;
}

const SORT_MAX = 1_000_000;

/** Shows whether the payment provider is enabled, with a switch for users who may change it. */
function EnableCell({ processor }: { processor: PaymentProvider }) {
  const { t } = useTranslation('processors');
  const { toggle } = usePaymentProviderActions();
  if (!useHasAccess('processors.write')) return t(processor.enable ? 'on' : 'off');
  return (
    <Switch
      checked={processor.enable}
      onClick={(event) => event.stopPropagation()}
      onChange={() => void toggle(processor)}
      slotProps={{ input: { 'aria-label': t('enableOf', { name: processor.name }) } }}
    />
  );
}

/** Shows the payment provider's position among the payment options. */
function SortCell({ processor }: { processor: PaymentProvider }) {
  const { t } = useTranslation('processors');
  const { setSort } = usePaymentProviderActions();
  if (!useHasAccess('processors.write')) return processor.sort;
  return (
    <InlineNumber
      value={processor.sort}
      min={0}
      max={SORT_MAX}
      label={t('sortOf', { name: processor.name })}
      onSave={(next) => void setSort(processor, next)}
    />
  );
}

/**
 * Returns the list's actions for payment providers, which report their result and offer undo where possible.
 */
function usePaymentProviderActions() {
  const { t } = useTranslation('processors');
  const undoable = useUndoable();
  const { mutateAsync: sendChange } = useQuickPaymentProviderChange();
  const { mutateAsync: sendRemoval } = useRemovePaymentProvider();

  const toggle = ({ id, name, enable }: PaymentProvider) =>
    undoable({
      send: sendChange,
      to: { id, enable: !enable },
      back: () => ({ id, enable }),
      done: t(enable ? 'disabledName' : 'enabledName', { name }),
    });
  const setSort = ({ id, name, sort }: PaymentProvider, next: number) =>
    undoable({ send: sendChange, to: { id, sort: next }, back: () => ({ id, sort }), done: t('sorted', { name }) });
  const remove = async ({ id, name }: PaymentProvider) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name }));
  };
  return { toggle, setSort, remove };
}
