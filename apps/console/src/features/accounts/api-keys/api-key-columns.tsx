import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import type { TFunction } from 'i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { TightestBudget } from './api-key-budgets.tsx';
import { keyColumns } from './key-columns.tsx';

const helper = columnsFor<ApiKey>();

export function apiKeyColumns(t: TFunction<'api-keys'>, groupName: (symbol: string) => string) {
  const { name, status, usage, lastUsed, expires, created } = keyColumns<ApiKey>(t);
  return helper.columns([
    name,
    helper.accessor('key', {
      header: t('key'),
      size: 150,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('key') },
    }),
    status,
    helper.accessor('group', {
      header: t('group'),
      size: 130,
      cell: ({ getValue }) => (getValue() === '' ? t('ownGroup') : groupName(getValue())),
      meta: { label: t('group') },
    }),
    usage,
    helper.accessor('spent', {
      header: t('budgets'),
      size: 200,
      cell: ({ row }) => <TightestBudget apiKey={row.original} />,
      meta: { label: t('budgets'), hidden: true },
    }),
    lastUsed,
    expires,
    created,
  ]);
}
