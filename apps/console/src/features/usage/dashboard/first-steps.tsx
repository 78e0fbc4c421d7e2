import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { useStoredPreference } from '../../../ui/browser/stored-preference.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { apiKeyListQuery } from '../../accounts/api-keys/queries.ts';
import { useCurrentUser, useHasAccess } from '../../accounts/session/queries.ts';
import { unpricedQuery } from '../../catalog/prices/queries.ts';
import { channelListQuery } from '../../channels/queries.ts';
import { useSite } from '../../site/site/queries.ts';

interface Step {
  name: 'address' | 'channel' | 'price' | 'token' | 'call';
  done: boolean;
  to: string;
  search?: Record<string, string>;
}

const one = { page: 1, size: 1 };

/** Shows the remaining setup steps until all are done or the list is dismissed. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation('dashboard');
  const [hiddenFor, hideFor] = useStoredPreference('first-steps-hidden', 0, isNumber);
  const setSearch = useSetSearchParams();
  const id = useCurrentUser()?.id ?? 0;
  const next = steps.find(({ done }) => !done);
  if (next === undefined || hiddenFor === id) return null;
  return (
    <SectionCard
      title={t('firstSteps')}
      actions={
        <>
          <Button size="small" color="inherit" onClick={() => setSearch({ tour: '1' })}>
            {t('tour')}
          </Button>
          <Button size="small" color="inherit" onClick={() => hideFor(id)}>
            {t('hide')}
          </Button>
        </>
      }
    >
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5 }}>
        {steps.map((step) => (
          <StepLine key={step.name} step={step} next={step === next} />
        ))}
      </Box>
    </SectionCard>
  );
}

/** Returns the setup steps; undefined while their state loads, empty when loading fails. */
export function useSteps(): Step[] | undefined {
  const self = useCurrentUser();
  const site = useSite();
  const isRoot = useHasAccess('root');
  const addsChannels = useHasAccess('channels.write');
  const setsPrices = useHasAccess('prices.write');
  const channelList = useQuery({ ...channelListQuery(one), enabled: addsChannels });
  const unpricedModels = useQuery({ ...unpricedQuery, enabled: setsPrices });
  const keyList = useQuery(apiKeyListQuery(one));
  if ([channelList, unpricedModels, keyList].some(({ isLoading }) => isLoading)) return undefined;
  const channels = channelList.data?.total_count;
  const unpriced = unpricedModels.data;
  const keys = keyList.data?.total_count;
  if (self === null || keys === undefined) return [];
  const steps: Step[] = [];
  if (isRoot) steps.push({ name: 'address', done: (site?.server_address ?? '') !== '', to: paths.settings });
  if (addsChannels) {
    if (channels === undefined) return [];
    steps.push({ name: 'channel', done: channels > 0, to: `${paths.channels}/new` });
  }
  if (setsPrices) {
    if (unpriced === undefined) return [];
    steps.push({ name: 'price', done: (channels ?? 1) > 0 && unpriced.length === 0, to: paths.prices });
  }
  steps.push({ name: 'token', done: keys > 0, to: paths.apiKeys, search: { edit: 'new' } });
  steps.push({ name: 'call', done: self.request_count > 0, to: paths.playground });
  return steps;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
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
