import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { ownModelsQuery, preferredModel } from '../../catalog/models/queries.ts';
import { revealApiKey, type SettableStatus, useRemoveApiKeys, useRotateApiKey, useSetApiKeyStatus } from './queries.ts';

interface ApiKeyMenuProps {
  apiKey: ApiKey;
  onEdit: (key: ApiKey) => void;
  /** Callback that receives a new key, which is shown once. */
  onNewKey: (key: string) => void;
}

export function ApiKeyMenu({ apiKey, onEdit, onNewKey }: ApiKeyMenuProps) {
  const { t } = useTranslation(['api-keys', 'common']);
  const { setStatus, remove } = useApiKeyActions();
  const navigate = useNavigate();
  const rotate = useRotateApiKey();
  const secret = useSecretKey(apiKey.id);
  const enabled = apiKey.status === 'enabled';
  return (
    <MoreMenu
      entries={[
        ...(apiKey.revealable ? [{ label: t('copyKey'), onSelect: () => void secret.copy() }] : []),
        {
          label: t('checkRequest'),
          onSelect: () => void navigate({ to: paths.quote, search: { token: String(apiKey.id) } }),
        },
        { label: t('common:edit'), onSelect: () => onEdit(apiKey) },
        {
          label: t(enabled ? 'common:disable' : 'common:enable'),
          onSelect: () => void setStatus([apiKey], enabled ? 'disabled' : 'enabled'),
        },
        {
          label: t('rotate'),
          danger: true,
          apart: true,
          question: { title: t('rotateTitle', { name: apiKey.name }), text: t('rotateText') },
          onConfirm: async () => onNewKey((await rotate.mutateAsync(apiKey.id)).key),
        },
        {
          label: t('common:delete'),
          danger: true,
          question: { title: t('deleteOneTitle', { name: apiKey.name }), text: t('deleteText') },
          onConfirm: () => remove([apiKey]),
        },
      ]}
    />
  );
}

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
