import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { browserHasPasskeys } from '../../features/accounts/passkeys/queries.ts';
import { confirmationMethodsQuery, useSignOut } from '../../features/accounts/session/queries.ts';
import { paths } from '../../paths.ts';
import { PendingPanel } from '../../ui/feedback/empty-and-pending-panels.tsx';
import { useNotifyError } from '../../ui/feedback/use-error-text.ts';
import {
  type ConfirmationMethod,
  ConfirmByCode,
  ConfirmByPasskey,
  ConfirmByPassword,
} from './step-up-method-forms.tsx';

const forms = { passkey: ConfirmByPasskey, code: ConfirmByCode, password: ConfirmByPassword };
const easiestFirst = ['passkey', 'code', 'password'] as const satisfies readonly ConfirmationMethod[];

/** @param onClose receives whether the server accepted the confirmation */
export function ConfirmIdentityDialog({ onClose }: { onClose: (confirmed: boolean) => void }) {
  const { t } = useTranslation('shell');
  const titleId = useId();
  return (
    <Dialog open onClose={() => onClose(false)} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('confirmIdentity.title')}</DialogTitle>
      <Proofs onClose={onClose} />
    </Dialog>
  );
}

/** Shows one confirmation method at a time, first the easiest that the account and the browser support. */
function Proofs({ onClose }: { onClose: (confirmed: boolean) => void }) {
  const { t } = useTranslation(['shell', 'common']);
  const { data: ways, error, refetch } = useQuery(confirmationMethodsQuery);
  const [chosen, setChosen] = useState<ConfirmationMethod>();
  if (ways === undefined) {
    return (
      <>
        <DialogContent>
          <PendingPanel error={error} refetch={refetch} height={96} />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => onClose(false)} color="inherit">
            {t('common:cancel')}
          </Button>
        </DialogActions>
      </>
    );
  }
  const offered = easiestFirst.filter((way) => ways[way] && (way !== 'passkey' || browserHasPasskeys()));
  const way = chosen ?? offered[0];
  if (way === undefined) return <SignInAgain onClose={() => onClose(false)} />;
  const Form = forms[way];
  const other = offered.find((one) => one !== way);
  return (
    <Form
      onConfirmed={() => onClose(true)}
      onCancel={() => onClose(false)}
      other={
        other !== undefined && (
          <Button size="small" sx={{ mt: 1, ml: -1.25 }} onClick={() => setChosen(other)}>
            {t(`confirmIdentity.instead.${other}`)}
          </Button>
        )
      }
    />
  );
}

/** Asks for a new sign-in, the only confirmation of an account without password and second factor. */
function SignInAgain({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['shell', 'common']);
  const { href } = useLocation();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notifyError = useNotifyError();
  const [busy, setBusy] = useState(false);

  const leave = async () => {
    setBusy(true);
    try {
      await signOut(() => navigate({ to: paths.signIn, search: { next: href } }));
      onClose();
    } catch (error) {
      notifyError(error);
      setBusy(false);
    }
  };

  return (
    <>
      <DialogContent>
        <DialogContentText variant="body1">{t('confirmIdentity.signInAgain')}</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button variant="contained" loading={busy} onClick={() => void leave()}>
          {t('confirmIdentity.signInAgainVerb')}
        </Button>
      </DialogActions>
    </>
  );
}
