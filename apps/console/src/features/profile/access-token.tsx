import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { useCreateAccessToken } from './queries.ts';

/** The token that scripts use to manage this account; shown once, when it is made. */
export function AccessToken({ present }: { present: boolean }) {
  const { t } = useTranslation('profile');
  const notifyError = useNotifyError();
  const createToken = useCreateAccessToken();
  const [token, setToken] = useState<string>();
  const create = async () => setToken(await createToken());
  return (
    <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(present ? 'tokenPresent' : 'tokenNone')}
      </Typography>
      {present ? (
        <ConfirmButton
          variant="outlined"
          question={{ title: t('replaceTitle'), text: t('replaceText'), verb: t('replaceToken') }}
          onConfirm={create}
        >
          {t('replaceToken')}
        </ConfirmButton>
      ) : (
        <Button variant="outlined" color="inherit" onClick={() => void create().catch(notifyError)}>
          {t('createToken')}
        </Button>
      )}
      <NewTokenDialog token={token} onClose={() => setToken(undefined)} />
    </Box>
  );
}
