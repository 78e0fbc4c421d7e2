import type { UserGroup } from '@switchyard/contract/user-groups';
import { useTranslation } from 'react-i18next';
import { notify } from '../../ui/notices.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { useRemoveUserGroup, useToggleUserGroup } from './queries.ts';

/** Turns groups on and off (both can be undone) and deletes them, and says what came of it. */
export function useUserGroupActions() {
  const { t } = useTranslation('user-groups');
  const notifyError = useNotifyError();
  const { mutateAsync: sendToggle } = useToggleUserGroup();
  const { mutateAsync: sendRemoval } = useRemoveUserGroup();

  const toggle = async ({ id, name, enable }: UserGroup) => {
    try {
      await sendToggle(id);
    } catch (error) {
      notifyError(error);
      return;
    }
    notify('success', t(enable ? 'disabledName' : 'enabledName', { name }), {
      undo: () => void sendToggle(id).catch(notifyError),
    });
  };
  const remove = async ({ id, name }: UserGroup) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name }));
  };
  return { toggle, remove };
}
