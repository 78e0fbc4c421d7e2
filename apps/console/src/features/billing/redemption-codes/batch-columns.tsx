import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import type { TFunction } from 'i18next';
import { UsageBar } from '../../../ui/display/bars.tsx';
import { StatusChip } from '../../../ui/display/chips.tsx';
import { Moment, Money, Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { hasExpired } from './batch-values.ts';

const helper = columnsFor<CodeBatch>();
type Words = TFunction<'redemption-codes'>;

export function batchColumns(t: Words, number: (value: number) => string) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 200,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('enabled', {
      header: t('status'),
      size: 110,
      cell: ({ row: { original } }) => <BatchStatus batch={original} t={t} />,
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('quota', {
      header: t('worth'),
      size: 100,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('worth'), align: 'end', card: 'figure' },
    }),
    helper.accessor('count', {
      header: t('redeemed'),
      size: 160,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <UsageBar
          used={original.used}
          left={original.unused}
          label={t('usedOf', { used: number(original.used), total: number(original.count) })}
        />
      ),
      meta: { label: t('redeemed'), card: 'figure' },
    }),
    helper.accessor('expires_time', {
      header: t('expires'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('never') : <Moment seconds={getValue()} />),
      meta: { label: t('expires') },
    }),
    helper.accessor('per_user', {
      header: t('perUser'),
      size: 130,
      cell: ({ getValue }) => (getValue() === 0 ? t('anyNumber') : number(getValue())),
      meta: { label: t('perUser'), align: 'end', hidden: true },
    }),
    helper.accessor('for_group', {
      header: t('forGroup'),
      size: 120,
      cell: ({ getValue }) => (getValue() === '' ? t('everybody') : <Mono>{getValue()}</Mono>),
      meta: { label: t('forGroup') },
    }),
    helper.accessor('grant_group', {
      header: t('grantGroup'),
      size: 120,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: t('grantGroup') },
    }),
    helper.accessor('created_time', {
      header: t('created'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created') },
    }),
    helper.accessor('created_by', {
      header: t('createdBy'),
      size: 140,
      cell: ({ getValue }) => <Name>{getValue()}</Name>,
      meta: { label: t('createdBy'), hidden: true },
    }),
  ]);
}

function BatchStatus({ batch, t }: { batch: CodeBatch; t: Words }) {
  if (!batch.enabled) return <StatusChip tone="neutral">{t('statusName.disabled')}</StatusChip>;
  if (hasExpired(batch.expires_time)) return <StatusChip tone="warning">{t('statusName.expired')}</StatusChip>;
  return <StatusChip tone="success">{t('statusName.enabled')}</StatusChip>;
}
