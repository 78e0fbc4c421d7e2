import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { lazy, Suspense, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { CodeFields } from './code-fields.tsx';
import { useFinishTotp } from './queries.ts';
import { useCodeEntry } from './use-code-entry.ts';

const QrCode = lazy(() =>
  import('../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })),
);
const QR_SIZE = 184;

export interface TotpSecret {
  secret: string;
  /** Content of the QR code: `otpauth://totp/…`. */
  uri: string;
}

interface TotpDialogProps {
  secret: TotpSecret;
  onClose: () => void;
  /** The app is set up, with these recovery codes. */
  onCodes: (codes: readonly string[]) => void;
}

/** The secret goes into an app, whose first code proves that it arrived. */
export function TotpDialog({ secret: { secret, uri }, onClose, onCodes }: TotpDialogProps) {
  const { t } = useTranslation(['second-factor', 'common']);
  const titleId = useId();
  const { mutateAsync } = useFinishTotp();
  const entry = useCodeEntry(async (code) => onCodes((await mutateAsync(code)).recovery_codes));
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form noValidate onSubmit={entry.submit}>
        <DialogTitle id={titleId}>{t('setUpTitle')}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <Typography>{t('scan')}</Typography>
          <Box sx={{ height: QR_SIZE, justifySelf: 'center' }}>
            <Suspense fallback={null}>
              <QrCode text={uri} label={t('qrCode')} size={QR_SIZE} />
            </Suspense>
          </Box>
          <Box>
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {t('orType')}
            </Typography>
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, overflowWrap: 'anywhere' }}>
              <Mono>{inFours(secret)}</Mono>
              <CopyButton text={secret} what={t('secret')} />
            </Box>
          </Box>
          <CodeFields entry={entry} recoverable={false} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} color="inherit">
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={!entry.ready} loading={entry.busy}>
            {t('confirm')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Easier to type; apps leave out the spaces. */
function inFours(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
