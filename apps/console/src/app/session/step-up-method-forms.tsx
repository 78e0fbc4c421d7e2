import Button from '@mui/material/Button';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import TextField from '@mui/material/TextField';
import { IconFingerprint } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { requestPasskey, useReportPasskeyError } from '../../features/accounts/passkeys/queries.ts';
import { CodeFields, useCodeEntry } from '../../features/accounts/second-factor/second-factor-code-field.tsx';
import { confirmIdentity } from '../../features/accounts/session/queries.ts';
import { useErrorText } from '../../ui/feedback/use-error-text.ts';

export type ConfirmationMethod = 'passkey' | 'code' | 'password';

interface ConfirmByProps {
  onConfirmed: () => void;
  onCancel: () => void;
  /** Button that switches to another confirmation method, if there is one. */
  other: ReactNode;
}

export function ConfirmByPassword({ onConfirmed, onCancel, other }: ConfirmByProps) {
  const { t } = useTranslation('shell');
  const sentence = useErrorText();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    try {
      await confirmIdentity({ password });
      onConfirmed();
    } catch (error) {
      setProblem(sentence(error));
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Question>
        <TextField
          autoFocus
          type="password"
          autoComplete="current-password"
          label={t('confirmIdentity.password')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={problem !== ''}
          helperText={problem}
        />
        {other}
      </Question>
      <Buttons busy={busy} ready={password !== ''} onCancel={onCancel} />
    </form>
  );
}

export function ConfirmByCode({ onConfirmed, onCancel, other }: ConfirmByProps) {
  const entry = useCodeEntry(async (code) => {
    await confirmIdentity({ code });
    onConfirmed();
  });
  return (
    <form noValidate onSubmit={entry.submit}>
      <Question>
        <CodeFields entry={entry} recoverable />
        {other}
      </Question>
      <Buttons busy={entry.busy} ready={entry.ready} onCancel={onCancel} />
    </form>
  );
}

export function ConfirmByPasskey({ onConfirmed, onCancel, other }: ConfirmByProps) {
  const { t } = useTranslation('shell');
  const report = useReportPasskeyError();
  const [busy, setBusy] = useState(false);

  const prove = async () => {
    setBusy(true);
    try {
      const passkey = await requestPasskey();
      if (passkey === undefined) return;
      await confirmIdentity({ passkey });
      onConfirmed();
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Question>
        {/* Some browsers allow a passkey prompt only after a click. */}
        <Button
          autoFocus
          fullWidth
          variant="contained"
          startIcon={<IconFingerprint size={20} />}
          loading={busy}
          onClick={() => void prove()}
        >
          {t('confirmIdentity.usePasskey')}
        </Button>
        {other}
      </Question>
      <DialogActions>
        <CancelButton onCancel={onCancel} />
      </DialogActions>
    </>
  );
}

function Question({ children }: { children: ReactNode }) {
  const { t } = useTranslation('shell');
  return (
    <DialogContent>
      <DialogContentText variant="body1" sx={{ mb: 2 }}>
        {t('confirmIdentity.text')}
      </DialogContentText>
      {children}
    </DialogContent>
  );
}

function Buttons({ busy, ready, onCancel }: { busy: boolean; ready: boolean; onCancel: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <DialogActions>
      <CancelButton onCancel={onCancel} />
      <Button type="submit" variant="contained" loading={busy} disabled={!ready}>
        {t('confirmIdentity.confirm')}
      </Button>
    </DialogActions>
  );
}

function CancelButton({ onCancel }: { onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <Button onClick={onCancel} color="inherit">
      {t('cancel')}
    </Button>
  );
}
