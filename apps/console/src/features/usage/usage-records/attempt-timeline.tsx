import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Attempt, Verdict } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useRoutingDecisionText } from '../../../ui/product/routing-decision-text.ts';

interface AttemptTimelineProps {
  attempts: readonly Attempt[];
  /** Duration of the whole request in milliseconds. */
  total: number;
}

/**
 * Shows time and outcome of each attempt on one axis; for administrators also channel and routing decision.
 */
export function AttemptTimeline({ attempts, total }: AttemptTimelineProps) {
  const end = Math.max(1, total, ...attempts.map(({ started_after, duration }) => started_after + duration));
  return (
    <Box sx={{ fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      <Box
        component="ol"
        sx={{ m: 0, p: 0, display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5, listStyle: 'none' }}
      >
        {attempts.map((attempt, index) => (
          <AttemptItem
            key={`${attempt.channel_id} ${attempt.started_after}`}
            attempt={attempt}
            number={index + 1}
            end={end}
          />
        ))}
      </Box>
      <Axis end={end} />
    </Box>
  );
}

interface AttemptItemProps {
  attempt: Attempt;
  number: number;
  /** End of the axis in milliseconds. */
  end: number;
}

function AttemptItem({ attempt, number, end }: AttemptItemProps) {
  const { channel_id, upstream_model, served_model, outcome, status, message, verdicts } = attempt;
  const { t } = useTranslation('usage-records');
  const answered = outcome === 'answered';
  return (
    <Box component="li">
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap', overflowWrap: 'anywhere' }}>
        {channel_id === null ? (
          t('attemptNumber', { number })
        ) : (
          <>
            {number}.
            <Link to={paths.channels} search={{ open: String(channel_id) }}>
              <Name id={channel_id}>{attempt.channel_name}</Name>
            </Link>
            <Mono>{upstream_model}</Mono>
            {attempt.key_hint !== '' && <Mono>…{attempt.key_hint}</Mono>}
            {served_model !== '' && (
              <StatusChip tone="warning" dot={false}>
                {t('servedModel', { model: served_model })}
              </StatusChip>
            )}
          </>
        )}
        <Box sx={{ flexGrow: 1 }} />
        <StatusChip tone={answered ? 'success' : outcome === 'abandoned' ? 'neutral' : 'error'} dot={false}>
          {t(`outcome.${outcome}`)}
          {status > 0 && ` · ${status}`}
        </StatusChip>
      </Box>
      <Bar attempt={attempt} end={end} />
      {message !== '' && (
        <Typography variant="caption" component="p" sx={{ mt: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {message}
        </Typography>
      )}
      {verdicts.length > 0 && <VerdictList channelId={channel_id} verdicts={verdicts} />}
    </Box>
  );
}

function Bar({ attempt: { started_after, duration, outcome }, end }: Omit<AttemptItemProps, 'number'>) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const share = (milliseconds: number) => `${(milliseconds / end) * 100}%`;
  return (
    <>
      <Box aria-hidden sx={{ mt: 0.5, height: 6, borderRadius: 999, bgcolor: 'neutral.soft', overflow: 'hidden' }}>
        <Box
          style={{ marginLeft: `min(${share(started_after)}, 100% - 3px)`, width: share(duration) }}
          sx={{
            height: '100%',
            minWidth: 3,
            borderRadius: 999,
            bgcolor: outcome === 'answered' ? 'success.main' : 'error.main',
          }}
        />
      </Box>
      <Typography variant="caption" component="p" sx={{ mt: 0.25, color: 'text.secondary' }}>
        {t('attemptTime', { start: format.duration(started_after), duration: format.duration(duration) })}
      </Typography>
    </>
  );
}

/** Labels the start, middle and end of the time axis. */
function Axis({ end }: { end: number }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  return (
    <Box
      role="img"
      aria-label={t('timeAxis')}
      sx={{
        display: 'flex',
        justifyContent: 'space-between',
        mt: 1,
        pt: 0.5,
        borderTop: 1,
        borderColor: 'divider',
        fontSize: '0.75rem',
        color: 'text.secondary',
      }}
    >
      {[0, end / 2, end].map((milliseconds) => (
        <span key={milliseconds}>{format.duration(milliseconds)}</span>
      ))}
    </Box>
  );
}

interface VerdictListProps {
  /** Channel of the attempt. */
  channelId: Verdict['channel_id'] | null;
  verdicts: readonly Verdict[];
}

/** Shows why the channel was selected and, unfolded, why the others were not. */
function VerdictList({ channelId, verdicts }: VerdictListProps) {
  const { t } = useTranslation('usage-records');
  const sentence = useRoutingDecisionText();
  const others = verdicts.filter((verdict) => verdict.channel_id !== channelId);
  const own = verdicts.find((verdict) => verdict.channel_id === channelId);
  const reason = own === undefined ? '' : sentence(own);
  return (
    <Typography
      variant="caption"
      component="div"
      sx={{ mt: 0.5, color: 'text.secondary', overflowWrap: 'anywhere', '& summary': { cursor: 'pointer' } }}
    >
      {others.length === 0 ? (
        reason
      ) : (
        <details>
          <summary>
            {[reason, t('whyOthers', { count: others.length })].filter((part) => part !== '').join(' · ')}
          </summary>
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
            {others.map((verdict) => (
              <li key={verdict.channel_id}>
                <Name id={verdict.channel_id}>{verdict.channel_name}</Name>
                {' – '}
                {sentence(verdict)}
              </li>
            ))}
          </Box>
        </details>
      )}
    </Typography>
  );
}
