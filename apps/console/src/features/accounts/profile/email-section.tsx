import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { profile, type Self } from '@switchyard/contract/accounts/profile';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../i18n/use-language.ts';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { Form } from '../../../ui/form/form.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { RESEND_WAIT_SECONDS, useCountdown } from '../../../ui/format/use-countdown.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { type NewEmail, sendEmailCode, useBindEmail } from './queries.ts';

/** Shows the email address and opens the form that changes it. */
export function EmailSection({ self: { email, email_verified } }: { self: Self }) {
  const { t } = useTranslation('profile');
  const [changing, setChanging] = useState(false);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography sx={{ overflowWrap: 'anywhere', color: email === '' ? 'text.secondary' : 'inherit' }}>
          {email === '' ? t('mail.none') : email}
        </Typography>
        {email !== '' && (
          <StatusChip tone={email_verified ? 'success' : 'neutral'}>
            {t(email_verified ? 'mail.verified' : 'mail.unverified')}
          </StatusChip>
        )}
        {!changing && (
          <Button variant="outlined" color="inherit" sx={{ ml: { sm: 'auto' } }} onClick={() => setChanging(true)}>
            {t(email === '' ? 'mail.add' : 'mail.change')}
          </Button>
        )}
      </Box>
      {changing && <EmailForm onClose={() => setChanging(false)} />}
    </Box>
  );
}

const newEmail = profile.bindEmail.query;

/** Asks for a new address and then for the code that was mailed to it. */
function EmailForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['profile', 'common']);
  const language = useLanguage();
  const bind = useBindEmail();
  const [sentTo, setSentTo] = useState<string>();
  const contractForm: ContractForm<NewEmail> = useContractForm<NewEmail>({
    schema: newEmail,
    values: { email: '', code: '' },
    onSubmit: async (values) => {
      if (sentTo === undefined) {
        await sendEmailCode(values.email, language);
        setSentTo(values.email);
        return;
      }
      await bind.mutateAsync(values);
      notify('success', t('mail.changed'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      {sentTo === undefined ? (
        <TextInput
          control={control}
          name="email"
          label={t('mail.address')}
          type="email"
          autoComplete="email"
          autoFocus
        />
      ) : (
        <TextInput
          control={control}
          name="code"
          label={t('mail.code')}
          hint={t('mail.codeHint', { email: sentTo })}
          autoComplete="one-time-code"
          autoFocus
          mono
        />
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button type="submit" variant="contained" loading={formState.isSubmitting}>
          {t(sentTo === undefined ? 'mail.send' : 'mail.confirm')}
        </Button>
        {sentTo !== undefined && <SendAgain email={sentTo} />}
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
      </Box>
    </Form>
  );
}

function SendAgain({ email }: { email: string }) {
  const { t } = useTranslation(['profile', 'sign-up']);
  const language = useLanguage();
  const notifyError = useNotifyError();
  const [busy, setBusy] = useState(false);
  // The form has just sent the first mail.
  const [left, start] = useCountdown(RESEND_WAIT_SECONDS);
  const again = async () => {
    setBusy(true);
    try {
      await sendEmailCode(email, language);
      start(RESEND_WAIT_SECONDS);
      notify('success', t('mail.sentAgain'));
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button color="inherit" loading={busy} disabled={left > 0} onClick={() => void again()}>
      {left > 0 ? t('sign-up:sendAgainIn', { seconds: left }) : t('mail.sendAgain')}
    </Button>
  );
}
