import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { ApiError } from '@switchyard/contract/billing/exchange';
import { mailAddress } from '@switchyard/contract/operations/mail';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useTestMail } from './queries.ts';

/** Sends a mail with the settings as they are saved, and tells what the mail server said. */
export function MailTest() {
  const { t } = useTranslation('mail');
  const [to, setTo] = useState('');
  const test = useTestMail();
  const isAddress = mailAddress.safeParse(to).success;
  const sendTest = () => {
    if (isAddress && !test.isPending) test.mutate(to);
  };
  // It stands inside the form of the settings, which Enter would save.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    sendTest();
  };
  return (
    <Box sx={{ display: 'grid', gap: 1.5, pt: 2, borderTop: 1, borderColor: 'divider' }}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'flex-end', flexWrap: 'wrap' }}>
        <Box sx={{ flex: '1 1 240px', maxWidth: 320 }}>
          <FieldFrame label={t('test.to')} help={t('test.help')} error={undefined}>
            {({ id }) => (
              <OutlinedInput
                id={id}
                fullWidth
                type="email"
                value={to}
                onChange={(event) => setTo(event.target.value.trim())}
                onKeyDown={onKeyDown}
                autoComplete="email"
              />
            )}
          </FieldFrame>
        </Box>
        <Button variant="outlined" disabled={!isAddress} loading={test.isPending} onClick={sendTest}>
          {t('test.send')}
        </Button>
      </Box>
      <Box aria-live="polite">
        {test.isSuccess && (
          <Alert severity="success">{t('test.sent', { response: test.data.response })}</Alert>
        )}
        {test.isError && <TestFailure error={test.error} />}
      </Box>
    </Box>
  );
}

/** The reason is for the operator, and only the server knows it. */
function TestFailure({ error }: { error: Error }) {
  const { t } = useTranslation('mail');
  const sentence = useErrorText();
  const hasReason =
    error instanceof ApiError && (error.code === 'upstream-failed' || error.code === 'not-set-up');
  return (
    <Alert severity="error" sx={{ overflowWrap: 'anywhere' }}>
      {hasReason ? t('test.failed', { reason: error.message }) : sentence(error)}
    </Alert>
  );
}
