import type { StatementSummary } from '@switchyard/contract/billing/statements';
import type { TFunction } from 'i18next';
import { Money } from '../../../ui/display/money.tsx';
import type { useFormat } from '../../../ui/format/use-format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';

const helper = columnsFor<StatementSummary>();

export function monthColumns(
  t: TFunction<'statements'>,
  format: ReturnType<typeof useFormat>,
  monthName: (date: string) => string,
) {
  const count = (name: 'request_count' | 'prompt_tokens' | 'completion_tokens', label: string) =>
    helper.accessor(name, {
      header: label,
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => format.number(getValue()),
      meta: { label, align: 'end', ...(name === 'request_count' ? { card: 'figure' as const } : {}) },
    });
  return helper.columns([
    helper.accessor('date', {
      header: t('month'),
      size: 180,
      enableSorting: true,
      cell: ({ getValue }) => monthName(getValue()),
      meta: { label: t('month'), card: 'title' },
    }),
    helper.accessor('quota', {
      header: t('charged'),
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('charged'), align: 'end', card: 'figure' },
    }),
    count('request_count', t('requests')),
    count('prompt_tokens', t('tokensIn')),
    count('completion_tokens', t('tokensOut')),
    helper.accessor('request_time', {
      header: t('time'),
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => format.duration(getValue()),
      meta: { label: t('time'), align: 'end' },
    }),
  ]);
}
