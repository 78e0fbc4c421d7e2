import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { ApiError } from '@switchyard/contract/http-exchange';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSite } from '../../site/site/queries.ts';
import { useProviderErrorText } from './identity-providers-and-callbacks.ts';
import { startWechatSignIn } from './queries.ts';

interface WechatDialogProps {
  /** Label of the button. */
  verb: string;
  /** Callback that submits the code; when it rejects, the dialog stays open with the error. */
  onCode: (code: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the code that the WeChat official account sends. */
export function WechatDialog({ verb, onCode, onClose }: WechatDialogProps) {
  const { t } = useTranslation(['identities', 'common']);
  const refusal = useProviderErrorText();
  const titleId = useId();
  const qrCode = useSite()?.wechat_qrcode ?? '';
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onCode(code.trim());
    } catch (error) {
      const isOver = error instanceof ApiError && error.code === 'link-expired';
      // The attempts or the three minutes are used up; the next code needs a new sign-in.
      if (isOver) await startWechatSignIn().catch(() => undefined);
      setProblem(isOver ? t('wechat.over') : refusal('wechat', error));
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form onSubmit={(event) => void submit(event)}>
        <DialogTitle id={titleId}>{t('wechat.title')}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          {qrCode !== '' && (
            <Box
              component="img"
              src={qrCode}
              alt={t('wechat.qrCode')}
              referrerPolicy="no-referrer"
              sx={{ width: 200, height: 200, justifySelf: 'center', borderRadius: 1, bgcolor: 'common.white' }}
            />
          )}
          <DialogContentText variant="body1">{t('wechat.text')}</DialogContentText>
          <TextField
            autoFocus
            autoComplete="one-time-code"
            label={t('wechat.code')}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            error={problem !== ''}
            helperText={problem}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} color="inherit">
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={busy} disabled={code.trim() === ''}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
