import type { TelegramCommand } from '@switchyard/contract/operations/telegram';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useMoveCommand, useRemoveCommand, useSaveCommand } from './queries.ts';

interface CommandMenuProps {
  command: TelegramCommand;
  /** Position among all commands. */
  first: boolean;
  last: boolean;
  onEdit: () => void;
}

export function CommandMenu({ command, first, last, onEdit }: CommandMenuProps) {
  const { t } = useTranslation(['telegram', 'common']);
  const [asked, setAsked] = useState(false);
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: save } = useSaveCommand();
  const { mutate: move } = useMoveCommand();
  const { mutateAsync: remove } = useRemoveCommand();
  const { id, enabled } = command;
  const name = `/${command.command}`;
  const toggle = () =>
    undoable({
      send: save,
      to: { ...command, enabled: !enabled },
      back: () => command,
      done: t(enabled ? 'command.switchedOff' : 'command.switchedOn', { name }),
    });
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: onEdit },
          ...(first
            ? []
            : [{ label: t('command.up'), onSelect: () => move({ id, to: 'up' }, { onError: notifyError }) }]),
          ...(last
            ? []
            : [
                {
                  label: t('command.down'),
                  onSelect: () => move({ id, to: 'down' }, { onError: notifyError }),
                },
              ]),
          { label: t(enabled ? 'common:disable' : 'common:enable'), onSelect: () => void toggle() },
          { label: t('common:delete'), danger: true, apart: true, onSelect: () => setAsked(true) },
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('command.deleteTitle', { name }),
          text: t('command.deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={async () => {
          await remove(id);
          notify('success', t('command.deleted', { name }));
        }}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
