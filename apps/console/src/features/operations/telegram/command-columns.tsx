import type { TelegramCommand } from '@switchyard/contract/operations/telegram';
import type { TFunction } from 'i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';

const helper = columnsFor<TelegramCommand>();

export function commandColumns(t: TFunction<'telegram'>) {
  return helper.columns([
    helper.accessor('command', {
      header: t('command.command'),
      size: 180,
      cell: ({ getValue }) => <Mono>{`/${getValue()}`}</Mono>,
      meta: { label: t('command.command'), card: 'title' },
    }),
    helper.accessor('enabled', {
      header: t('command.status'),
      size: 120,
      cell: ({ getValue }) => (
        <StatusChip tone={getValue() ? 'success' : 'neutral'}>
          {t(getValue() ? 'command.on' : 'command.off')}
        </StatusChip>
      ),
      meta: { label: t('command.status'), card: 'state' },
    }),
    helper.accessor('description', {
      header: t('command.description'),
      size: 260,
      meta: { label: t('command.description'), card: 'figure' },
    }),
    helper.accessor('parse_mode', {
      header: t('command.type'),
      size: 140,
      cell: ({ getValue }) => t(`command.typeName.${getValue()}`),
      meta: { label: t('command.type') },
    }),
    helper.accessor('reply_message', {
      header: t('command.content'),
      size: 380,
      meta: { label: t('command.content') },
    }),
  ]);
}
