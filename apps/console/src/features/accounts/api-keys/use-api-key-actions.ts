import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { ownModelsQuery, preferredModel } from '../../catalog/models/queries.ts';
import { revealApiKey, type SettableStatus, useRemoveApiKeys, useSetApiKeyStatus } from './queries.ts';

/** Returns actions that enable, disable (both with undo) and delete tokens, and report the result. */
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

/** Returns a token's whole key, which is fetched on demand and kept only in this component. */
export function useSecretKey(id: ApiKeyId) {
  const { t } = useTranslation('api-keys');
  const copyText = useCopy();
  const notifyError = useNotifyError();
  const [key, setKey] = useState<string>();

  const reveal = async (): Promise<string | undefined> => {
    if (key !== undefined) return key;
    try {
      const revealed = await revealApiKey(id);
      setKey(revealed);
      return revealed;
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  const copy = async () => {
    const revealed = await reveal();
    if (revealed !== undefined) await copyText(revealed, t('theKey'));
  };
  return { key, reveal, copy, hide: () => setKey(undefined) };
}

/** Returns a model for examples, preferably one that the user can call. */
export function useExampleModel(): string {
  return preferredModel(useQuery(ownModelsQuery).data) ?? 'gpt-5-mini';
}
