import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ChannelEvent, ModelHealth } from '@switchyard/contract/channels/channel-health';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { channelHealthQuery, useResumeChannel } from '../queries.ts';

const list = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 1,
  m: 0,
  p: 0,
  listStyle: 'none',
  fontSize: '0.8125rem',
} as const;
const row = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1,
  rowGap: 0.25,
  overflowWrap: 'anywhere',
} as const;

/** Shows the channel's current health by model, and when it was disabled and enabled. */
export function ChannelHealth({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const { data: health, error, refetch } = useQuery(channelHealthQuery(channel.id));
  const isLeftAlone = health?.models.some(({ breaker, rests_until }) => breaker !== 'closed' || rests_until > 0);
  return (
    <Box component="section" aria-label={t('health.title')}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 1 }}>
        <Typography variant="h3" sx={{ flexGrow: 1 }}>
          {t('health.title')}
        </Typography>
        {isLeftAlone === true && <ResumeButton channel={channel} />}
      </Box>
      {health === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={80} />
      ) : (
        <>
          <Models models={health.models} />
          <Typography variant="body2" component="h4" sx={{ mt: 2, mb: 1, fontWeight: 500 }}>
            {t('health.history')}
          </Typography>
          <Events events={health.events} />
        </>
      )}
    </Box>
  );
}

function ResumeButton({ channel: { id, name } }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const notifyError = useNotifyError();
  const { mutate, isPending } = useResumeChannel();
  const resume = () =>
    mutate(id, { onSuccess: () => notify('success', t('health.resumed', { name })), onError: notifyError });
  return (
    <Button size="small" variant="outlined" color="inherit" disabled={isPending} onClick={resume}>
      {t('health.resume')}
    </Button>
  );
}

const tones: Record<ModelHealth['breaker'], Tone> = { closed: 'success', open: 'error', 'half-open': 'warning' };

function Models({ models }: { models: readonly ModelHealth[] }) {
  const { t } = useTranslation('channels');
  if (models.length === 0) return <Quiet text={t('health.none')} />;
  return (
    <Box component="ul" sx={list}>
      {models.map((health) => (
        <Model key={health.model} health={health} />
      ))}
    </Box>
  );
}

function Model({ health }: { health: ModelHealth }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const { breaker, open_until, failures_in_row, rests_until, first_content_time, served_model } = health;
  const resting = breaker === 'closed' && rests_until > 0;
  const facts = [
    ...(breaker === 'open' ? [t('health.openUntil', { moment: format.moment(open_until) })] : []),
    ...(rests_until > 0 ? [t('health.restsUntil', { moment: format.moment(rests_until) })] : []),
    ...(failures_in_row > 0 ? [t('health.failures', { count: failures_in_row })] : []),
    ...(first_content_time === null
      ? []
      : [t('health.firstContent', { duration: format.duration(first_content_time) })]),
    ...(served_model === '' ? [] : [t('health.servedModel', { model: served_model })]),
  ];
  return (
    <Box component="li" sx={row}>
      <Mono>{health.model}</Mono>
      <Box sx={{ flexGrow: 1 }} />
      {served_model !== '' && <StatusChip tone="warning">{t('health.otherModel')}</StatusChip>}
      <StatusChip tone={resting ? 'warning' : tones[breaker]}>
        {resting ? t('resting') : t(`health.${breaker}`)}
      </StatusChip>
      {facts.length > 0 && <Quiet text={facts.join(' · ')} />}
    </Box>
  );
}

const eventTones: Record<ChannelEvent['event'], Tone> = {
  'auto-disabled': 'error',
  'auto-enabled': 'success',
  'on-trial': 'neutral',
  disabled: 'neutral',
  enabled: 'success',
  'key-auto-disabled': 'error',
  'key-auto-enabled': 'success',
  'key-disabled': 'neutral',
  'key-enabled': 'success',
  'daily-cap-reached': 'warning',
  'monthly-cap-reached': 'warning',
};

const eventNames = {
  'auto-disabled': 'health.event.auto-disabled',
  'auto-enabled': 'health.event.auto-enabled',
  'on-trial': 'health.event.on-trial',
  disabled: 'health.event.disabled',
  enabled: 'health.event.enabled',
  'key-auto-disabled': 'keys.event.auto-disabled',
  'key-auto-enabled': 'keys.event.auto-enabled',
  'key-disabled': 'keys.event.disabled',
  'key-enabled': 'keys.event.enabled',
  'daily-cap-reached': 'caps.dayReached',
  'monthly-cap-reached': 'caps.monthReached',
} as const satisfies Record<ChannelEvent['event'], string>;

function Events({ events }: { events: readonly ChannelEvent[] }) {
  const { t } = useTranslation('channels');
  if (events.length === 0) return <Quiet text={t('health.noHistory')} />;
  return (
    <Box component="ol" sx={list}>
      {events.map(({ created_at, event, reason, username }) => (
        <Box component="li" key={`${created_at} ${event} ${username} ${reason}`} sx={row}>
          <StatusChip tone={eventTones[event]} dot={false}>
            {t(eventNames[event])}
          </StatusChip>
          <Moment seconds={created_at} />
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {username === '' ? t('health.byGateway') : <Name>{username}</Name>}
          </Box>
          {reason !== '' && <Quiet text={reason} />}
        </Box>
      ))}
    </Box>
  );
}

function Quiet({ text }: { text: string }) {
  return (
    <Typography
      variant="caption"
      component="div"
      sx={{ width: '100%', color: 'text.secondary', overflowWrap: 'anywhere' }}
    >
      {text}
    </Typography>
  );
}
