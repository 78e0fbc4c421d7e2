import type { ApiKeyId } from '@switchyard/contract/ids';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { revealApiKey } from './queries.ts';

/** The whole key of a token: read when asked for, kept in this component only. */
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
