import { NEVER, type VisibleApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyStatus } from '@switchyard/contract/codes';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/chips.tsx';
import { Moment, Name } from '../../../ui/display/inline-values.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { ApiKeyUsage } from './api-key-usage.tsx';

/** Returns the columns that the user's own token list and the list of another user's tokens share. */
export function keyColumns<Key extends VisibleApiKey>(t: TFunction<'api-keys'>) {
  const helper = columnsFor<Key>();
  return {
    name: helper.accessor((key) => key.name, {
      id: 'name',
      header: t('name'),
      size: 200,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    status: helper.accessor((key) => key.status, {
      id: 'status',
      header: t('status'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <ApiKeyStatusChip status={getValue()} />,
      meta: { label: t('status'), card: 'state' },
    }),
    usage: helper.accessor((key) => key.used_quota, {
      id: 'used_quota',
      header: t('usage'),
      size: 210,
      enableSorting: true,
      cell: ({ row }) => <ApiKeyUsage apiKey={row.original} />,
      meta: { label: t('usage'), card: 'figure' },
    }),
    lastUsed: helper.accessor((key) => key.accessed_time, {
      id: 'accessed_time',
      header: t('lastUsed'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('neverUsed') : <Moment seconds={getValue()} />),
      meta: { label: t('lastUsed'), card: 'figure' },
    }),
    expires: helper.accessor((key) => key.expired_time, {
      id: 'expired_time',
      header: t('expires'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === NEVER ? t('never') : <Moment seconds={getValue()} />),
      meta: { label: t('expires') },
    }),
    created: helper.accessor((key) => key.created_time, {
      id: 'created_time',
      header: t('created'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
  };
}

export const statuses = ['enabled', 'disabled', 'expired', 'exhausted'] as const satisfies readonly ApiKeyStatus[];

const tones: Record<ApiKeyStatus, Tone> = {
  enabled: 'success',
  disabled: 'neutral',
  expired: 'warning',
  exhausted: 'warning',
};

export function ApiKeyStatusChip({ status }: { status: ApiKeyStatus }) {
  const { t } = useTranslation('api-keys');
  return <StatusChip tone={tones[status]}>{t(`statusName.${status}`)}</StatusChip>;
}
