import type { UserGroup } from '@switchyard/contract/accounts/user-groups';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { useRemoveUserGroup, useToggleUserGroup } from './queries.ts';

/** Turns groups on and off (both can be undone) and deletes them, and says what came of it. */
export function useUserGroupActions() {
  const { t } = useTranslation('user-groups');
  const undoable = useUndoable();
  const { mutateAsync: sendToggle } = useToggleUserGroup();
  const { mutateAsync: sendRemoval } = useRemoveUserGroup();

  const toggle = ({ id, name, enable }: UserGroup) =>
    undoable({
      send: sendToggle,
      to: id,
      back: () => id,
      done: t(enable ? 'disabledName' : 'enabledName', { name }),
    });
  const remove = async ({ id, name }: UserGroup) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name }));
  };
  return { toggle, remove };
}
