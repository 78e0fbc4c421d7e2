import type { AuditEntry } from '@switchyard/contract/operations/audit';
import type { TFunction } from 'i18next';
import { Moment } from '../../../ui/display/moment.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { EntryActor } from './entry-actor.tsx';
import { EntryTarget } from './entry-target.tsx';

const helper = columnsFor<AuditEntry>();

export function entryColumns(t: TFunction<'audit'>, sentence: (action: string) => string) {
  return helper.columns([
    helper.accessor('action', {
      header: t('what'),
      size: 280,
      cell: ({ getValue }) => sentence(getValue()),
      meta: { label: t('what'), card: 'title' },
    }),
    helper.accessor('username', {
      header: t('who'),
      size: 160,
      cell: ({ row }) => <EntryActor entry={row.original} />,
      meta: { label: t('who'), card: 'figure' },
    }),
    helper.accessor('target', {
      header: t('target'),
      size: 160,
      cell: ({ getValue }) => <EntryTarget target={getValue()} />,
      meta: { label: t('target') },
    }),
    helper.accessor('address', {
      header: t('address'),
      size: 130,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: t('address') },
    }),
    helper.accessor('created_at', {
      header: t('time'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('time'), card: 'figure' },
    }),
  ]);
}
