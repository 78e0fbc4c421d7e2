import Box from '@mui/material/Box';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { LinkButton } from '../../ui/link.tsx';
import { SectionCard } from '../../ui/section-card.tsx';
import { apiKeyListQuery } from '../api-keys/queries.ts';
import { channelListQuery } from '../channels/queries.ts';
import { useMay } from '../session/queries.ts';

interface Step {
  name: 'channel' | 'token' | 'call';
  done: boolean;
  to: string;
  search?: Record<string, string>;
}

const one = { page: 1, size: 1 };

/** What is left to do before the first call has gone through; shown until then. */
export function FirstSteps() {
  const { t } = useTranslation('dashboard');
  const mayAddChannels = useMay('channels.write');
  const channels = useQuery({ ...channelListQuery(one), enabled: mayAddChannels }).data?.total_count;
  const keys = useQuery(apiKeyListQuery(one)).data?.total_count;
  const steps: Step[] = [
    { name: 'token', done: (keys ?? 0) > 0, to: paths.apiKeys, search: { edit: 'new' } },
    { name: 'call', done: false, to: paths.playground },
  ];
  if (mayAddChannels)
    steps.unshift({ name: 'channel', done: (channels ?? 0) > 0, to: `${paths.channels}/new` });
  const next = steps.find(({ done }) => !done);
  return (
    <SectionCard title={t('firstSteps')}>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5 }}>
        {steps.map((step) => (
          <StepLine key={step.name} step={step} next={step === next} />
        ))}
      </Box>
    </SectionCard>
  );
}

function StepLine({ step, next }: { step: Step; next: boolean }) {
  const { t } = useTranslation('dashboard');
  return (
    <Box
      component="li"
      sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: { xs: 'wrap', sm: 'nowrap' } }}
    >
      <Box sx={{ lineHeight: 0, color: step.done ? 'success.main' : 'text.disabled' }}>
        {step.done ? <IconCircleCheckFilled size={20} /> : <IconCircle size={20} />}
      </Box>
      <Box sx={{ flex: 1, minWidth: 200 }}>
        <Box sx={{ fontWeight: 500 }}>
          {t(`step.${step.name}.title`)}
          {step.done && (
            <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
              {' '}
              · {t('done')}
            </Box>
          )}
        </Box>
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{t(`step.${step.name}.text`)}</Box>
      </Box>
      {!step.done && (
        <LinkButton
          to={step.to}
          size="small"
          variant={next ? 'contained' : 'outlined'}
          {...(step.search === undefined ? {} : { search: step.search })}
        >
          {t(`step.${step.name}.action`)}
        </LinkButton>
      )}
    </Box>
  );
}
