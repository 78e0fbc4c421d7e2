import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../i18n/use-language.ts';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { usePlainForm } from '../../../ui/form/use-plain-form.ts';
import { RESEND_WAIT_SECONDS, useCountdown } from '../../../ui/format/use-countdown.ts';
import { PlainInput } from '../../../ui/inputs/plain-input.tsx';
import { SignInCard, SignInLinks } from '../../../ui/layout/sign-in-card.tsx';
import { useSite, useSystemName } from '../../site/site/queries.ts';
import { useCaptcha } from './captcha.tsx';
import { NewPasswordInputs, useFieldRules } from './form-fields-and-validation.tsx';
import { forgetInvitation, signUpClient, useInvitation } from './queries.ts';

export function RegisterPage() {
  const { t } = useTranslation('sign-up');
  const isOpen = useSite()?.register_enabled !== false;
  return (
    <SignInCard title={t('register.title')} subtitle={useSystemName()}>
      {isOpen ? <RegisterForm /> : <Box>{t('register.closed')}</Box>}
      <SignInLinks>
        <Link to={paths.signIn}>{t('register.signIn')}</Link>
      </SignInLinks>
    </SignInCard>
  );
}

function RegisterForm() {
  const { t } = useTranslation('sign-up');
  const site = useSite();
  const human = useCaptcha('register');
  const form = useRegistration(human);
  const { field } = form;
  return (
    <Box component="form" noValidate onSubmit={form.submit} sx={{ display: 'grid', gap: 2 }}>
      <PlainInput field={field('username')} label={t('username')} autoComplete="username" autoFocus />
      <NewPasswordInputs password={field('password')} confirm={field('confirm')} />
      {site?.email_verification === true && (
        <>
          <PlainInput field={field('email')} label={t('email')} type="email" autoComplete="email" />
          <PlainInput
            field={field('verification_code')}
            label={t('code')}
            autoComplete="one-time-code"
            inputMode="numeric"
            end={
              <SendCode
                email={form.values.email}
                human={human}
                onWrong={(email) => form.showErrors({ email })}
                onRefused={form.showRefusal}
              />
            }
          />
        </>
      )}
      {site?.register_invite_only === true && (
        <PlainInput field={field('aff_code')} label={t('invitation')} autoComplete="off" />
      )}
      {human.place}
      {form.failure !== undefined && <FormError text={form.failure} />}
      <Button type="submit" variant="contained" size="large" fullWidth loading={form.sending}>
        {t('register.submit')}
      </Button>
    </Box>
  );
}

const empty = { username: '', password: '', confirm: '', email: '', verification_code: '' };

function useRegistration(human: ReturnType<typeof useCaptcha>) {
  const { t } = useTranslation('sign-up');
  const site = useSite();
  const rules = useFieldRules();
  const navigate = useNavigate();
  const language = useLanguage();
  const withMail = site?.email_verification === true;
  return usePlainForm({
    values: { ...empty, aff_code: useInvitation() },
    check: ({ username, password, confirm, email, verification_code, aff_code }) => ({
      username: rules.username(username),
      password: rules.password(password),
      confirm: rules.confirm(confirm, password),
      email: withMail ? rules.email(email) : undefined,
      verification_code: withMail ? rules.required(verification_code) : undefined,
      aff_code: site?.register_invite_only === true ? rules.required(aff_code) : undefined,
    }),
    blocked: human.isMissing ? t('checkWaits') : undefined,
    send: async ({ confirm: _same, email, ...body }) => {
      const client = await signUpClient();
      await client.register({ query: human.take(), body: { ...body, email: email.trim(), language } });
      forgetInvitation();
      notify('success', t('register.done'));
      await navigate({ to: paths.signIn });
    },
  });
}

interface SendCodeProps {
  email: string;
  human: ReturnType<typeof useCaptcha>;
  /** Callback for an invalid address. */
  onWrong: (sentence: string) => void;
  onRefused: (error: unknown) => void;
}

/** Mails a code and counts down until another can be requested. */
function SendCode({ email, human, onWrong, onRefused }: SendCodeProps) {
  const { t } = useTranslation('sign-up');
  const rules = useFieldRules();
  const language = useLanguage();
  const [left, start] = useCountdown();
  const [sending, setSending] = useState(false);
  const ask = async () => {
    const wrong = rules.email(email);
    if (wrong !== undefined) return onWrong(wrong);
    if (human.isMissing) return notify('warning', t('checkWaits'));
    setSending(true);
    try {
      const client = await signUpClient();
      await client.sendCode({ query: { email: email.trim(), language, ...human.take() } });
      start(RESEND_WAIT_SECONDS);
      notify('info', t('codeSent'));
    } catch (error) {
      onRefused(error);
    }
    setSending(false);
  };
  return (
    <Button
      size="small"
      disabled={left > 0}
      loading={sending}
      onClick={() => void ask()}
      sx={{ flexShrink: 0, whiteSpace: 'nowrap' }}
    >
      {left > 0 ? t('sendAgainIn', { seconds: left }) : t('sendCode')}
    </Button>
  );
}
