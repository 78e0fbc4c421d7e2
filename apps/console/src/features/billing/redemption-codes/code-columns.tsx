import type { RedemptionCode } from '@switchyard/contract/billing/redemption-codes';
import type { RedemptionStatus } from '@switchyard/contract/codes';
import type { TFunction } from 'i18next';
import { userPath } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { Money } from '../../../ui/display/money.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-chip.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { hasExpired } from './batch-values.ts';

const helper = columnsFor<RedemptionCode>();
type Words = TFunction<'redemption-codes'>;
const tones: Readonly<Record<RedemptionStatus, Tone>> = {
  enabled: 'success',
  disabled: 'neutral',
  used: 'primary',
};

/** @param linksUsers whoever looks may also see users */
export function codeColumns(t: Words, linksUsers: boolean) {
  return helper.columns([
    helper.accessor('hint', {
      header: t('code'),
      size: 110,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('code'), card: 'title' },
    }),
    helper.accessor('name', {
      header: t('batch'),
      size: 200,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.batch_id}>{original.name}</Name>,
      meta: { label: t('batch') },
    }),
    helper.accessor('status', {
      header: t('status'),
      size: 120,
      enableSorting: true,
      cell: ({ row: { original } }) => <CodeStatus code={original} t={t} />,
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('quota', {
      header: t('worth'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('worth'), align: 'end', card: 'figure' },
    }),
    helper.accessor('redeemed_by', {
      header: t('redeemedBy'),
      size: 170,
      cell: ({ row: { original } }) => <Redeemer code={original} links={linksUsers} />,
      meta: { label: t('redeemedBy'), card: 'figure' },
    }),
    helper.accessor('redeemed_time', {
      header: t('redeemedTime'),
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('redeemedTime') },
    }),
    helper.accessor('expires_time', {
      header: t('expires'),
      size: 130,
      cell: ({ getValue }) => (getValue() === 0 ? t('never') : <Moment seconds={getValue()} />),
      meta: { label: t('expires') },
    }),
    helper.accessor('created_time', {
      header: t('created'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
  ]);
}

function CodeStatus({ code: { status, expires_time }, t }: { code: RedemptionCode; t: Words }) {
  if (status === 'enabled' && hasExpired(expires_time))
    return <StatusChip tone="warning">{t('statusName.expired')}</StatusChip>;
  return <StatusChip tone={tones[status]}>{t(`statusName.${status}`)}</StatusChip>;
}

function Redeemer({ code: { redeemed_by }, links }: { code: RedemptionCode; links: boolean }) {
  if (redeemed_by === null) return UNKNOWN;
  const name = <Name id={redeemed_by.id}>{redeemed_by.username}</Name>;
  if (!links) return name;
  return <Link to={userPath(redeemed_by.id)}>{name}</Link>;
}
