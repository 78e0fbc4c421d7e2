import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import type { TFunction } from 'i18next';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { UsageBar } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { momentCell, moneyCell, optionalMonoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { hasExpired } from './new-batch-defaults-and-redeem-url.ts';

const column = columnsFor<CodeBatch>();
type Words = TFunction<'redemption-codes'>;

export function batchColumns(t: Words, number: (value: number) => string) {
  return [
    column.field('name', t('name'), {
      size: 200,
      sortable: true,
      card: 'title',
      cell: (_, batch) => <Name id={batch.id}>{batch.name}</Name>,
    }),
    column.field('enabled', t('status'), {
      size: 110,
      card: 'state',
      cell: (_, batch) => <BatchStatus batch={batch} t={t} />,
    }),
    column.field('quota', t('worth'), { size: 100, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
    column.field('count', t('redeemed'), {
      size: 160,
      sortable: true,
      card: 'figure',
      cell: (_, batch) => (
        <UsageBar
          used={batch.used}
          left={batch.unused}
          label={t('usedOf', { used: number(batch.used), total: number(batch.count) })}
        />
      ),
    }),
    column.field('expires_time', t('expires'), {
      size: 120,
      sortable: true,
      cell: (expiresTime) => (expiresTime === 0 ? t('never') : <Moment seconds={expiresTime} />),
    }),
    column.field('per_user', t('perUser'), {
      size: 130,
      align: 'end',
      hidden: true,
      cell: (perUser) => (perUser === 0 ? t('anyNumber') : number(perUser)),
    }),
    column.field('for_group', t('forGroup'), {
      size: 120,
      cell: (forGroup) => (forGroup === '' ? t('everybody') : <Mono>{forGroup}</Mono>),
    }),
    column.field('grant_group', t('grantGroup'), { size: 120, cell: optionalMonoCell }),
    column.field('created_time', t('created'), { size: 120, sortable: true, cell: momentCell }),
    column.field('created_by', t('createdBy'), {
      size: 140,
      hidden: true,
      cell: (createdBy) => <Name>{createdBy}</Name>,
    }),
  ];
}

function BatchStatus({ batch, t }: { batch: CodeBatch; t: Words }) {
  if (!batch.enabled) return <StatusChip tone="neutral">{t('statusName.disabled')}</StatusChip>;
  if (hasExpired(batch.expires_time)) return <StatusChip tone="warning">{t('statusName.expired')}</StatusChip>;
  return <StatusChip tone="success">{t('statusName.enabled')}</StatusChip>;
}
