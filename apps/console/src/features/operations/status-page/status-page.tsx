import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useSite } from '../../site/site/queries.ts';
import { ModelStatusRow, stateTones } from './model-status-row.tsx';
import { statusPageQuery } from './queries.ts';

const spans = ['hours', 'days'] as const;
type Span = (typeof spans)[number];

/** Shows the public status of the models' requests. */
export function StatusPage() {
  const { t } = useTranslation('status-page');
  const published = useSite()?.status_page === true;
  const [span, setSpan] = useState<Span>('days');
  const { data: page, error, refetch } = useQuery({ ...statusPageQuery, enabled: published });
  const models = page?.models ?? [];
  const troubled = models.filter(({ state }) => state === 'degraded' || state === 'down');
  const overall = overallOf(models);
  return (
    <Box sx={{ width: '100%', maxWidth: 860, mx: 'auto', px: { xs: 1.5, md: 3 }, py: 4 }}>
      <Typography variant="h1" sx={{ mb: 2 }}>
        {t('title')}
      </Typography>
      {!published && <EmptyState>{t('off')}</EmptyState>}
      {published && page === undefined && <PendingPanel error={error} refetch={refetch} height={240} />}
      {published && page !== undefined && (
        <>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, justifyContent: 'space-between', mb: 2 }}>
            <StatusChip tone={stateTones[overall]}>
              {overall === 'operational' && t('allWell')}
              {overall === 'unknown' && t('state.unknown')}
              {troubled.length > 0 && t('troubled', { count: troubled.length })}
            </StatusChip>
            <ChoiceRow
              label={t('span')}
              value={span}
              options={spans.map((value) => ({ value, label: t(`spanOf.${value}`) }))}
              onChange={setSpan}
            />
          </Box>
          {page.models.length === 0 && <EmptyState>{t('empty')}</EmptyState>}
          <Box component="ul" sx={{ display: 'grid', gap: 1.5, m: 0, p: 0, listStyle: 'none' }}>
            {page.models.map((model) => (
              <ModelStatusRow
                key={model.model}
                status={model}
                span={span}
                from={span === 'hours' ? page.first_hour : page.first_day}
              />
            ))}
          </Box>
          <Typography variant="caption" component="p" sx={{ mt: 2, color: 'text.secondary' }}>
            {t('meaning')}
          </Typography>
        </>
      )}
    </Box>
  );
}

/** The worst that is known of any. */
function overallOf(models: readonly { state: keyof typeof stateTones }[]): keyof typeof stateTones {
  const order = ['down', 'degraded', 'operational'] as const;
  return order.find((one) => models.some(({ state }) => state === one)) ?? 'unknown';
}
