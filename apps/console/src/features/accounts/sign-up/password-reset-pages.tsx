import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useSearchParams } from '../../../ui/filters/search-params.ts';
import { usePlainForm } from '../../../ui/form/use-plain-form.ts';
import { RESEND_WAIT_SECONDS, useCountdown } from '../../../ui/format/use-countdown.ts';
import { PlainInput } from '../../../ui/inputs/plain-input.tsx';
import { SignInCard, SignInLinks } from '../../../ui/layout/sign-in-card.tsx';
import { useSite, useSystemName } from '../../site/site/queries.ts';
import { useCaptcha } from './captcha.tsx';
import { NewPasswordInputs, useFieldRules } from './form-fields-and-validation.tsx';
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

/** Asks for a new password; the link in the reset mail opens this page. */
export function ResetPage() {
  const { t } = useTranslation('sign-up');
  const link = useResetLink();
  return (
    <SignInCard title={t('reset.choose')} subtitle={useSystemName()}>
      {link === undefined ? <Box>{t('reset.broken')}</Box> : <ResetForm link={link} />}
      <SignInLinks>
        <Link to={paths.askReset}>{t('reset.again')}</Link>
      </SignInLinks>
    </SignInCard>
  );
}

function ResetForm({ link }: { link: ResetLink }) {
  const { t } = useTranslation('sign-up');
  const rules = useFieldRules();
  const navigate = useNavigate();
  const form = usePlainForm({
    values: { password: '', confirm: '' },
    check: ({ password, confirm }) => ({
      password: rules.password(password),
      confirm: rules.confirm(confirm, password),
    }),
    send: async ({ password }) => {
      const client = await signUpClient();
      await client.resetPassword({ body: { ...link, password } });
      notify('success', t('reset.done'));
      await navigate({ to: paths.signIn });
    },
  });
  return (
    <Box component="form" noValidate onSubmit={form.submit} sx={{ display: 'grid', gap: 2 }}>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        {t('reset.for', { email: link.email })}
      </Typography>
      {/* Lets password managers store the password under the right user name. */}
      <input type="hidden" name="username" autoComplete="username" value={link.email} readOnly />
      <NewPasswordInputs password={form.field('password')} confirm={form.field('confirm')} />
      {form.failure !== undefined && <FormError text={form.failure} />}
      <Button type="submit" variant="contained" size="large" fullWidth loading={form.sending}>
        {t('reset.submit')}
      </Button>
    </Box>
  );
}

interface ResetLink {
  email: string;
  token: string;
}

/**
 * Returns the parameters of the reset link, or undefined when one is missing, and removes the token from
 * address bar and history. Our links have it in the fragment, those of other gateways in the query.
 */
function useResetLink(): ResetLink | undefined {
  const { email = '', token: inQuery = '' } = useSearchParams();
  const [link] = useState(() => ({
    email,
    token: new URLSearchParams(location.hash.slice(1)).get('token') ?? inQuery,
  }));
  useEffect(() => {
    if (link.token === '') return;
    const search = new URLSearchParams({ email: link.email });
    history.replaceState(history.state, '', `${location.pathname}?${search}`);
  }, [link]);
  return link.email === '' || link.token === '' ? undefined : link;
}
