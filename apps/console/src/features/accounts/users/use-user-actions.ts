import type { User } from '@switchyard/contract/accounts/users';
import type { Role, UserStatus } from '@switchyard/contract/codes';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { useRemoveUser, useResetFactors, useSetUserStatus, useUpdateUser } from './queries.ts';

/** Returns actions for users that report their result; status and role changes can be undone. */
export function useUserActions() {
  const { t } = useTranslation(['users', 'shell']);
  const undoable = useUndoable();
  const { mutateAsync: sendStatus } = useSetUserStatus();
  const { mutateAsync: sendUpdate } = useUpdateUser();
  const { mutateAsync: sendRemoval } = useRemoveUser();
  const { mutateAsync: sendReset } = useResetFactors();

  const setStatus = ({ id, username, status: before }: User, status: UserStatus) =>
    undoable({
      send: sendStatus,
      to: { id, status },
      back: () => ({ id, status: before }),
      done: t(status === 'enabled' ? 'enabledName' : 'disabledName', { name: username }),
    });
  const setRole = ({ id, username, role: before }: User, role: Role) =>
    undoable({
      send: sendUpdate,
      to: { id, role },
      back: () => ({ id, role: before }),
      done: t('roleGiven', { name: username, role: t(`shell:role.${role}`) }),
    });
  const remove = async ({ id, username }: User) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name: username }));
  };
  const resetFactors = async ({ id, username }: User) => {
    await sendReset(id);
    notify('success', t('factorsReset', { name: username }));
  };
  return { setStatus, setRole, remove, resetFactors };
}
