import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Step from '@mui/material/Step';
import StepLabel from '@mui/material/StepLabel';
import Stepper from '@mui/material/Stepper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useSite, useSystemName } from '../../site/site/queries.ts';
import { useSelf } from '../session/queries.ts';
import { AccountStep } from './account-step.tsx';
import { ChannelStep } from './channel-step.tsx';
import { CallStep, TokenStep } from './later-steps.tsx';
import { codeCheckQuery } from './queries.ts';

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
    <Box
      sx={{
        flexGrow: 1,
        display: 'grid',
        justifyItems: 'center',
        alignContent: 'start',
        p: 2,
        pt: { md: 4 },
      }}
    >
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

/** The account step, once the link's code has been found right. */
function FirstStep({ code, onDone }: { code: string; onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const needed = useSite()?.set_up_needed;
  const signedIn = useSelf() !== null;
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
