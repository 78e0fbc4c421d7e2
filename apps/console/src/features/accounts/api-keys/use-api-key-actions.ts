import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { type SettableStatus, useRemoveApiKeys, useSetApiKeyStatus } from './queries.ts';

/** Enables, disables (both can be undone) and deletes tokens, and says what came of it. */
export function useApiKeyActions() {
  const { t } = useTranslation('api-keys');
  const undoable = useUndoable();
  const { mutateAsync: sendStatus } = useSetApiKeyStatus();
  const { mutateAsync: sendRemoval } = useRemoveApiKeys();

  const setStatus = async (keys: readonly ApiKey[], status: SettableStatus) => {
    const changed = keys.filter((key) => key.status !== status);
    const ids = changed.map(({ id }) => id);
    const back: SettableStatus = status === 'enabled' ? 'disabled' : 'enabled';
    await undoable({
      send: sendStatus,
      to: { ids, status },
      back: () => ({ ids, status: back }),
      done: t(status === 'enabled' ? 'enabledCount' : 'disabledCount', { count: ids.length }),
    });
  };

  const remove = async (keys: readonly ApiKey[]) => {
    await sendRemoval(keys.map(({ id }) => id));
    notify('success', t('deletedCount', { count: keys.length }));
  };

  return { setStatus, remove };
}
