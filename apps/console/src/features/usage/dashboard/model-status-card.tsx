import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { statusPageQuery } from '../../operations/status-page/queries.ts';

/** Summarizes which models have trouble now; the status page has the details. */
export function ModelStatusCard() {
  const { t } = useTranslation('dashboard');
  const { data, error, refetch } = useQuery(statusPageQuery);
  const down = data?.models.filter(({ state }) => state === 'down') ?? [];
  const degraded = data?.models.filter(({ state }) => state === 'degraded') ?? [];
  return (
    <SectionCard
      title={t('services')}
      actions={
        <LinkButton to={paths.status} size="small" color="inherit">
          {t('toStatus')}
        </LinkButton>
      }
    >
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={48} />
      ) : (
        <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start', fontSize: '0.8125rem' }}>
          {down.length + degraded.length === 0 && (
            <StatusChip tone={data.models.length === 0 ? 'neutral' : 'success'}>
              {t(data.models.length === 0 ? 'noServices' : 'servicesWell')}
            </StatusChip>
          )}
          {down.length > 0 && <Troubled tone="error" word={t('servicesDown')} models={down} />}
          {degraded.length > 0 && <Troubled tone="warning" word={t('servicesDegraded')} models={degraded} />}
        </Box>
      )}
    </SectionCard>
  );
}

interface TroubledProps {
  tone: 'error' | 'warning';
  word: string;
  models: readonly { model: string }[];
}

const NAMED_MAX = 6;

function Troubled({ tone, word, models }: TroubledProps) {
  const { t } = useTranslation('dashboard');
  const more = models.length - NAMED_MAX;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, overflowWrap: 'anywhere' }}>
      <StatusChip tone={tone}>{word}</StatusChip>
      {models.slice(0, NAMED_MAX).map(({ model }) => (
        <Mono key={model}>{model}</Mono>
      ))}
      {more > 0 && t('moreModels', { count: more })}
    </Box>
  );
}
