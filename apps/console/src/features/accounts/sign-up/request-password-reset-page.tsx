import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { usePlainForm } from '../../../ui/form/use-plain-form.ts';
import { RESEND_WAIT_SECONDS, useCountdown } from '../../../ui/format/use-countdown.ts';
import { PlainInput } from '../../../ui/inputs/plain-input.tsx';
import { SignInCard, SignInLinks } from '../../../ui/layout/sign-in-card.tsx';
import { useSite, useSystemName } from '../../site/site/queries.ts';
import { useCaptcha } from './captcha.tsx';
import { useFieldRules } from './form-fields-and-validation.tsx';
import { signUpClient } from './queries.ts';

/** Requests a mail with a link that resets a forgotten password. */
export function RequestResetPage() {
  const { t } = useTranslation('sign-up');
  const site = useSite();
  return (
    <SignInCard title={t('reset.title')} subtitle={useSystemName()}>
      {site?.password_reset === false ? <Box>{t('reset.closed')}</Box> : <AskResetForm />}
      <SignInLinks>
        <Link to={paths.signIn}>{t('reset.signIn')}</Link>
      </SignInLinks>
    </SignInCard>
  );
}

function AskResetForm() {
  const { t } = useTranslation('sign-up');
  const rules = useFieldRules();
  const human = useCaptcha('reset');
  const [left, start] = useCountdown();
  const [sent, setSent] = useState(false);
  const form = usePlainForm({
    values: { email: '' },
    check: ({ email }) => ({ email: rules.email(email) }),
    blocked: human.isMissing ? t('checkWaits') : undefined,
    send: async ({ email }) => {
      const client = await signUpClient();
      await client.sendResetLink({ query: { email: email.trim(), ...human.take() } });
      setSent(true);
      start(RESEND_WAIT_SECONDS);
    },
  });
  return (
    <Box component="form" noValidate onSubmit={form.submit} sx={{ display: 'grid', gap: 2 }}>
      <PlainInput field={form.field('email')} label={t('email')} type="email" autoComplete="email" autoFocus />
      {human.place}
      {form.failure !== undefined && <FormError text={form.failure} />}
      {sent && (
        <Box role="status" sx={{ px: 1.5, py: 1, borderRadius: 1, bgcolor: 'success.soft', fontSize: '0.8125rem' }}>
          {t('reset.sent')}
        </Box>
      )}
      <Button type="submit" variant="contained" size="large" fullWidth disabled={left > 0} loading={form.sending}>
        {left > 0 ? t('sendAgainIn', { seconds: left }) : t('reset.ask')}
      </Button>
    </Box>
  );
}
