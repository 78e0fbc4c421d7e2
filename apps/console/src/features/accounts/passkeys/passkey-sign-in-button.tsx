import Button from '@mui/material/Button';
import { IconFingerprint } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSite } from '../../site/site/queries.ts';
import { browserHasPasskeys, usePasskeySignIn } from './queries.ts';

/** Offers a sign-in without a user name, if the site and the browser support passkeys. */
export function PasskeyButton() {
  const { t } = useTranslation('sign-in');
  const { mutate, isPending } = usePasskeySignIn();
  const offered = useSite()?.passkey_login === true && browserHasPasskeys();
  if (!offered) return null;
  return (
    <Button
      variant="outlined"
      color="inherit"
      size="large"
      fullWidth
      startIcon={<IconFingerprint size={20} />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {t('withPasskey')}
    </Button>
  );
}
