import { NEVER, type VisibleApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyStatus } from '@switchyard/contract/wire-enums';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { momentCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { ApiKeyUsage } from './api-key-usage-and-budgets.tsx';

/** Returns the columns that the user's own token list and the list of another user's tokens share. */
export function keyColumns<Key extends VisibleApiKey>(t: TFunction<'api-keys'>) {
  const column = columnsFor<Key>();
  return {
    name: column.field('name', t('name'), {
      size: 200,
      sortable: true,
      card: 'title',
      cell: (_, key) => <Name id={key.id}>{key.name}</Name>,
    }),
    status: column.field('status', t('status'), {
      size: 120,
      sortable: true,
      card: 'state',
      cell: (value) => <ApiKeyStatusChip status={value} />,
    }),
    usage: column.field('used_quota', t('usage'), {
      size: 210,
      sortable: true,
      card: 'figure',
      cell: (_, key) => <ApiKeyUsage apiKey={key} />,
    }),
    lastUsed: column.field('accessed_time', t('lastUsed'), {
      size: 130,
      sortable: true,
      card: 'figure',
      cell: (value) => (value === 0 ? t('neverUsed') : <Moment seconds={value} />),
    }),
    expires: column.field('expired_time', t('expires'), {
      size: 130,
      sortable: true,
      cell: (value) => (value === NEVER ? t('never') : <Moment seconds={value} />),
    }),
    created: column.field('created_time', t('created'), { size: 130, sortable: true, hidden: true, cell: momentCell }),
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
