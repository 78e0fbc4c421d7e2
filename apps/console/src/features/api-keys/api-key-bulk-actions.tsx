import Button from '@mui/material/Button';
import type { ApiKey } from '@switchyard/contract/api-keys';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { useApiKeyActions } from './use-api-key-actions.ts';

/** Several at once is typed out; one is asked for. */
const TYPED_FROM = 2;

export function ApiKeyBulkActions({ keys, onDone }: { keys: readonly ApiKey[]; onDone: () => void }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const { setStatus, remove } = useApiKeyActions();
  const change = async (status: 'enabled' | 'disabled') => {
    onDone();
    await setStatus(keys, status);
  };
  return (
    <>
      <Button size="small" variant="outlined" color="inherit" onClick={() => void change('enabled')}>
        {t('common:enable')}
      </Button>
      <Button size="small" variant="outlined" color="inherit" onClick={() => void change('disabled')}>
        {t('common:disable')}
      </Button>
      <ConfirmButton
        size="small"
        variant="outlined"
        question={{
          title: t('deleteTitle', { count: keys.length }),
          text: t('deleteText'),
          verb: t('common:delete'),
          typed: keys.length < TYPED_FROM ? undefined : String(keys.length),
        }}
        onConfirm={async () => {
          await remove(keys);
          onDone();
        }}
      >
        {t('common:delete')}
      </ConfirmButton>
    </>
  );
}
