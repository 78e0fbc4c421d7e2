import type { Role, UserStatus } from '@switchyard/contract/codes';
import type { User } from '@switchyard/contract/users';
import { useTranslation } from 'react-i18next';
import { notify } from '../../ui/notices.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { useRemoveUser, useSetUserStatus, useUpdateUser } from './queries.ts';

/** Enables, disables and gives roles (all can be undone), deletes, and says what came of it. */
export function useUserActions() {
  const { t } = useTranslation(['users', 'shell']);
  const notifyError = useNotifyError();
  const { mutateAsync: sendStatus } = useSetUserStatus();
  const { mutateAsync: sendUpdate } = useUpdateUser();
  const { mutateAsync: sendRemoval } = useRemoveUser();

  const setStatus = async ({ id, username, status: before }: User, status: UserStatus) => {
    try {
      await sendStatus({ id, status });
    } catch (error) {
      notifyError(error);
      return;
    }
    notify('success', t(status === 'enabled' ? 'enabledName' : 'disabledName', { name: username }), {
      undo: () => void sendStatus({ id, status: before }).catch(notifyError),
    });
  };
  const setRole = async ({ id, username, role: before }: User, role: Role) => {
    try {
      await sendUpdate({ id, role });
    } catch (error) {
      notifyError(error);
      return;
    }
    notify('success', t('roleGiven', { name: username, role: t(`shell:role.${role}`) }), {
      undo: () => void sendUpdate({ id, role: before }).catch(notifyError),
    });
  };
  const remove = async ({ id, username }: User) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name: username }));
  };
  return { setStatus, setRole, remove };
}
