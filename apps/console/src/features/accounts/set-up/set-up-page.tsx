import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Step from '@mui/material/Step';
import StepLabel from '@mui/material/StepLabel';
import Stepper from '@mui/material/Stepper';
import Typography from '@mui/material/Typography';
import { createApiKey as newApiKey } from '@switchyard/contract/accounts/api-keys';
import { createRoot, setUp } from '@switchyard/contract/accounts/set-up';
import { createClient } from '@switchyard/contract/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { Form } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { clientSnippets, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { siteQuery, useServerAddress, useSite, useSystemName } from '../../site/site/queries.ts';
import { createApiKey } from '../api-keys/queries.ts';
import { currentUserQuery, useCurrentUser } from '../session/queries.ts';
import { ChannelStep, StepFrame } from './channel-step.tsx';

const steps = ['account', 'channel', 'token', 'call'] as const;

/** Leads from an empty server to the first successful call: account, channel, token, call. */
export function SetUpPage() {
  const { t } = useTranslation('set-up');
  const name = useSystemName();
  const [code] = useState(() => location.hash.slice(1));
  const [step, setStep] = useState(0);
  const [key, setKey] = useState('');
  const next = () => setStep(step + 1);
  return (
    <Box sx={{ flexGrow: 1, display: 'grid', justifyItems: 'center', alignContent: 'start', p: 2, pt: { md: 4 } }}>
      <Box sx={{ width: '100%', maxWidth: 640 }}>
        <Typography variant="h1" sx={{ mb: 3 }}>
          {t('title', { name })}
        </Typography>
        <Stepper activeStep={step} sx={{ mb: 3 }}>
          {steps.map((id) => (
            <Step key={id}>
              <StepLabel>{t(`step.${id}`)}</StepLabel>
            </Step>
          ))}
        </Stepper>
        <Paper variant="outlined" sx={{ borderRadius: 1.5, p: { xs: 2, sm: 3 } }}>
          {step === 0 && <FirstStep code={code} onDone={next} />}
          {step === 1 && <ChannelStep onDone={next} />}
          {step === 2 && (
            <TokenStep
              onDone={(created) => {
                setKey(created);
                next();
              }}
            />
          )}
          {step === 3 && <CallStep apiKey={key} />}
        </Paper>
      </Box>
    </Box>
  );
}

/** Shows the account form after the server has accepted the set-up code. */
function FirstStep({ code, onDone }: { code: string; onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const needed = useSite()?.set_up_needed;
  const signedIn = useCurrentUser() !== null;
  const check = useQuery(codeCheckQuery(code));
  if (needed === false && !signedIn) {
    return (
      <Alert severity="info" action={<LinkButton to={paths.signIn}>{t('finish')}</LinkButton>}>
        {t('done')}
      </Alert>
    );
  }
  if (code === '') return <Alert severity="warning">{t('linkMissing')}</Alert>;
  if (check.isError) return <Alert severity="error">{t('linkWrong')}</Alert>;
  if (check.isPending) return <Typography>{t('checking')}</Typography>;
  return <AccountStep code={code} onDone={onDone} />;
}

function TokenStep({ onDone }: { onDone: (key: string) => void }) {
  const { t } = useTranslation('set-up');
  const notifyError = useNotifyError();
  const create = useMutation({
    mutationFn: () => createApiKey(newApiKey.parse({ name: t('token.name'), unlimited_quota: true })),
    onSuccess: ({ key }) => onDone(key),
    onError: notifyError,
  });
  return (
    <StepFrame title={t('token.title')} text={t('token.text')}>
      <Button
        variant="contained"
        loading={create.isPending}
        onClick={() => create.mutate()}
        sx={{ justifySelf: 'start' }}
      >
        {t('token.create')}
      </Button>
    </StepFrame>
  );
}

function CallStep({ apiKey }: { apiKey: string }) {
  const { t } = useTranslation('set-up');
  const address = useServerAddress();
  return (
    <StepFrame title={t('call.title')} text={t('call.text')}>
      <CodeBlock code={apiKey} label={t('step.token')} />
      <SnippetTabs label={t('call.title')} snippets={clientSnippets(address, apiKey, 'gpt-5-mini')} />
      <LinkButton to="/panel" variant="contained" sx={{ justifySelf: 'start' }}>
        {t('finish')}
      </LinkButton>
    </StepFrame>
  );
}

function AccountStep({ code, onDone }: { code: string; onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const client = useQueryClient();
  const contractForm = useContractForm({
    schema: createRoot,
    values: { code, username: 'root', password: '' },
    onSubmit: async (body) => {
      const self = await createRootAccount({ body });
      // The code is used up; it must not stay in the address bar or the history.
      history.replaceState(history.state, '', location.pathname);
      client.setQueryData(currentUserQuery.queryKey, self);
      onDone();
      await client.invalidateQueries({ queryKey: siteQuery.queryKey });
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <Box>
        <Typography variant="h2">{t('account.title')}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('account.text')}
        </Typography>
      </Box>
      <TextInput control={control} name="username" label={t('account.username')} autoComplete="username" autoFocus />
      <SecretInput control={control} name="password" label={t('account.password')} />
      <Box>
        <Button type="submit" variant="contained" loading={formState.isSubmitting}>
          {t('account.submit')}
        </Button>
      </Box>
    </Form>
  );
}

const api = createClient(setUp, send);

const createRootAccount = api.createRoot;

/**
 * Query that checks the set-up code of the link; the query key omits the code, because keys can be stored.
 */
function codeCheckQuery(code: string) {
  return queryOptions({
    queryKey: ['set-up', 'check'],
    queryFn: ({ signal }) => api.check({ body: { code } }, signal),
    enabled: code !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
