import { type ApiKey, NEVER } from '@switchyard/contract/api-keys';
import type { UserGroup } from '@switchyard/contract/user-groups';
import type { TFunction } from 'i18next';
import { columnsFor } from '../../ui/data-table/table-features.ts';
import { Moment } from '../../ui/moment.tsx';
import { Mono } from '../../ui/mono.tsx';
import { Name } from '../../ui/name.tsx';
import { TightestBudget } from './api-key-budgets.tsx';
import { ApiKeyStatusChip } from './api-key-status.tsx';
import { ApiKeyUsage } from './api-key-usage.tsx';

const helper = columnsFor<ApiKey>();

export function apiKeyColumns(t: TFunction<'api-keys'>, groups: Record<string, UserGroup> | undefined) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 200,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('key', {
      header: t('key'),
      size: 150,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('key') },
    }),
    helper.accessor('status', {
      header: t('status'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <ApiKeyStatusChip status={getValue()} />,
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('group', {
      header: t('group'),
      size: 130,
      cell: ({ getValue }) =>
        getValue() === '' ? t('ownGroup') : (groups?.[getValue()]?.name ?? getValue()),
      meta: { label: t('group') },
    }),
    helper.accessor('used_quota', {
      header: t('usage'),
      size: 210,
      enableSorting: true,
      cell: ({ row }) => <ApiKeyUsage apiKey={row.original} />,
      meta: { label: t('usage'), card: 'figure' },
    }),
    helper.accessor('spent', {
      header: t('budgets'),
      size: 200,
      cell: ({ row }) => <TightestBudget apiKey={row.original} />,
      meta: { label: t('budgets'), hidden: true },
    }),
    helper.accessor('accessed_time', {
      header: t('lastUsed'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('neverUsed') : <Moment seconds={getValue()} />),
      meta: { label: t('lastUsed'), card: 'figure' },
    }),
    helper.accessor('expired_time', {
      header: t('expires'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === NEVER ? t('never') : <Moment seconds={getValue()} />),
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
