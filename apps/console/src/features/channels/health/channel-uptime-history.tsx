import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { HistorySpan, ModelHistory } from '@switchyard/contract/channels/channel-health';
import type { ChannelId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { UptimeBars } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { channelHistoryQuery } from '../queries.ts';

export function ChannelHistory({ id }: { id: ChannelId }) {
  const { t } = useTranslation('channels');
  const { data: models, error, refetch } = useQuery(channelHistoryQuery(id));
  return (
    <Box component="section" aria-label={t('tests.history.title')}>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {t('tests.history.title')}
      </Typography>
      {models === undefined && <PendingPanel error={error} refetch={refetch} height={80} />}
      {models?.length === 0 && <Quiet text={t('tests.history.none')} />}
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        {models?.map((history) => (
          <Model key={history.model} history={history} />
        ))}
      </Box>
    </Box>
  );
}

function Model({ history: { model, hours, days, p50, p95, failures } }: { history: ModelHistory }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const reasons = failures.map(({ kind, count }) => `${t(`tests.history.kind.${kind}`)} ${format.number(count)}`);
  return (
    <Box sx={{ display: 'grid', gap: 0.75, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
      <Mono>{model}</Mono>
      <Bars model={model} name={t('tests.history.hours')} spans={hours} label={(from) => format.shortMoment(from)} />
      <Bars model={model} name={t('tests.history.days')} spans={days} label={(from) => format.day(from)} />
      {p50 !== null && (
        <Quiet text={t('tests.history.first', { p50: format.duration(p50), p95: format.duration(p95) })} />
      )}
      {reasons.length > 0 && <Quiet text={`${t('tests.history.failures')}: ${reasons.join(' · ')}`} />}
    </Box>
  );
}

interface BarsProps {
  model: string;
  name: string;
  spans: readonly HistorySpan[];
  label: (from: number) => string;
}

/** Draws a bar for each time span by its share of successful requests, and prints the total share. */
function Bars({ model, name, spans, label }: BarsProps) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const answered = spans.reduce((sum, span) => sum + span.answered, 0);
  const failed = spans.reduce((sum, span) => sum + span.failed, 0);
  const percent = format.percent(shareOf({ answered, failed }), 1);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: '4.5rem minmax(0, 1fr) 4rem', alignItems: 'center', gap: 1 }}>
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {name}
      </Box>
      <UptimeBars
        label={t('tests.history.bar', { model, span: name, percent })}
        bars={spans.map((span) => ({
          from: span.from,
          share: shareOf(span),
          title: t('tests.history.span', {
            moment: label(span.from),
            answered: format.number(span.answered),
            failed: format.number(span.failed),
          }),
        }))}
        well={WELL}
        badly={BADLY}
      />
      <Box component="span" sx={{ textAlign: 'end' }}>
        {percent}
      </Box>
    </Box>
  );
}

const WELL = 0.99;
const BADLY = 0.9;

function shareOf({ answered, failed }: Pick<HistorySpan, 'answered' | 'failed'>): number | null {
  return answered + failed === 0 ? null : answered / (answered + failed);
}

function Quiet({ text }: { text: string }) {
  return (
    <Typography variant="caption" component="div" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
      {text}
    </Typography>
  );
}
