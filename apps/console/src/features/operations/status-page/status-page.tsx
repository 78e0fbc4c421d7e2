import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ModelStatus } from '@switchyard/contract/channels/channel-health';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { UptimeBars } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { useSite } from '../../site/site/queries.ts';
import { statusPageQuery } from './queries.ts';

const spans = ['hours', 'days'] as const;
type Span = (typeof spans)[number];

/** Shows the public status of the models. */
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
              options={toOptions(spans, (value) => t(`spanOf.${value}`))}
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

/** Returns the worst known state of all models. */
function overallOf(models: readonly { state: keyof typeof stateTones }[]): keyof typeof stateTones {
  const order = ['down', 'degraded', 'operational'] as const;
  return order.find((one) => models.some(({ state }) => state === one)) ?? 'unknown';
}

interface ModelStatusRowProps {
  status: ModelStatus;
  span: 'hours' | 'days';
  /** Start of the first bar in UTC seconds. */
  from: number;
}

const stateTones = {
  operational: 'success',
  degraded: 'warning',
  down: 'error',
  unknown: 'neutral',
} as const satisfies Record<ModelStatus['state'], Tone>;

const SECONDS = { hours: 3_600, days: 86_400 } as const;
const WELL = 0.95;
const BADLY = 0.5;

/** Shows a model's current state, its history and its last incident. */
function ModelStatusRow({ status, span, from }: ModelStatusRowProps) {
  const { t } = useTranslation('status-page');
  const format = useFormat();
  const { model, state, uptime, last_incident: incident } = status;
  const percent = format.percent(uptime, 1);
  const titleOf = (begins: number, share: number | null): string => {
    const moment = span === 'hours' ? format.shortMoment(begins) : format.day(begins);
    return share === null ? t('quiet', { moment }) : t('answered', { moment, percent: format.percent(share, 1) });
  };
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gap: 1,
        p: 2,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        bgcolor: 'background.paper',
        fontSize: '0.8125rem',
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Box sx={{ flexGrow: 1 }}>
          <Mono>{model}</Mono>
        </Box>
        <StatusChip tone={stateTones[state]}>{t(`state.${state}`)}</StatusChip>
      </Box>
      <UptimeBars
        label={t('bars', { model, span: t(`spanOf.${span}`), percent })}
        bars={status[span].map((share, at) => ({
          from: from + at * SECONDS[span],
          share,
          title: titleOf(from + at * SECONDS[span], share),
        }))}
        well={WELL}
        badly={BADLY}
      />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, color: 'text.secondary' }}>
        <Box component="span" sx={{ flexGrow: 1 }}>
          {incident !== null && (
            <>
              {t('lastIncident')} <Moment seconds={incident} />
            </>
          )}
          {incident === null && uptime !== null && t('noIncident')}
        </Box>
        {uptime !== null && <span>{t('uptime', { percent })}</span>}
      </Box>
    </Box>
  );
}
