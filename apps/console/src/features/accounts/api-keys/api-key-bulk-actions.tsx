import Button from '@mui/material/Button';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../../ui/actions/bulk-delete.tsx';
import { useApiKeyActions } from './use-api-key-actions.ts';

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
      <BulkDelete
        count={keys.length}
        title={t('deleteTitle', { count: keys.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(keys);
          onDone();
        }}
      />
    </>
  );
}
