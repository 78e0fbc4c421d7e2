import type { Processor } from '@switchyard/contract/billing/payment-providers';
import { MICROS } from '@switchyard/contract/billing/top-up-cost';
import type { TFunction } from 'i18next';
import { Moment } from '../../../ui/display/moment.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import type { useFormat } from '../../../ui/format/use-format.ts';
import { GatewayName } from '../../../ui/product/gateway-name.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { EnableCell, SortCell } from './processor-cells.tsx';

const helper = columnsFor<Processor>();

export function processorColumns(t: TFunction<'processors'>, format: ReturnType<typeof useFormat>) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 240,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <GatewayName
          id={original.id}
          type={original.type}
          icon={original.icon}
          name={original.name}
          chip={original.sandbox && <StatusChip tone="warning">{t('sandboxChip')}</StatusChip>}
        />
      ),
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('type', {
      header: t('type'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => t(`typeName.${getValue()}`),
      meta: { label: t('type'), card: 'figure' },
    }),
    helper.accessor('currency', {
      header: t('currency'),
      size: 100,
      meta: { label: t('currency') },
    }),
    helper.display({
      id: 'fees',
      header: t('fees'),
      size: 140,
      cell: ({ row: { original } }) => feesOf(original, format),
      meta: { label: t('fees'), align: 'end', card: 'figure' },
    }),
    helper.accessor('exchange_rate', {
      header: t('exchangeRate'),
      size: 150,
      cell: ({ getValue }) => (getValue() === 0 ? t('asInSettings') : format.number(getValue() / MICROS, 6)),
      meta: { label: t('exchangeRate'), align: 'end' },
    }),
    helper.accessor('enable', {
      header: t('enable'),
      size: 110,
      enableSorting: true,
      cell: ({ row: { original } }) => <EnableCell processor={original} />,
      meta: { label: t('enable'), card: 'state' },
    }),
    helper.accessor('sort', {
      header: t('sort'),
      size: 100,
      enableSorting: true,
      cell: ({ row: { original } }) => <SortCell processor={original} />,
      meta: { label: t('sort'), align: 'end' },
    }),
    helper.accessor('uuid', {
      header: t('uuid'),
      size: 280,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('uuid'), hidden: true },
    }),
    helper.accessor('created_at', {
      header: t('created'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
  ]);
}

function feesOf({ fixed_fee, percent_fee }: Processor, format: ReturnType<typeof useFormat>): string {
  const percent = format.percent(percent_fee / MICROS, 2);
  if (fixed_fee === 0) return percent;
  return percent_fee === 0
    ? format.usd(fixed_fee / MICROS)
    : `${percent} + ${format.usd(fixed_fee / MICROS)}`;
}
