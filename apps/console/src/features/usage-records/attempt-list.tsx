import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Attempt } from '@switchyard/contract/usage-records';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Mono } from '../../ui/mono.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { useFormat } from '../../ui/use-format.ts';

interface AttemptListProps {
  attempts: readonly Attempt[];
  /** Milliseconds of the whole request; the scale of the bars. */
  total: number;
}

/** Which channels were asked, in order, when, and what each of them did. */
export function AttemptList({ attempts, total }: AttemptListProps) {
  return (
    <Box component="ol" sx={{ m: 0, p: 0, display: 'grid', gap: 1.5, listStyle: 'none' }}>
      {attempts.map((attempt) => (
        <AttemptItem key={`${attempt.channel_id} ${attempt.started_after}`} attempt={attempt} total={total} />
      ))}
    </Box>
  );
}

function AttemptItem({ attempt, total }: { attempt: Attempt; total: number }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  const answered = attempt.outcome === 'answered';
  const scale = Math.max(total, attempt.started_after + attempt.duration, 1);
  const share = (milliseconds: number) => `${(milliseconds / scale) * 100}%`;
  return (
    <Box component="li" sx={{ fontSize: '0.8125rem', fontVariantNumeric: 'tabular-nums' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Link to={paths.channels} search={{ open: String(attempt.channel_id) }}>
          {attempt.channel_name || `#${attempt.channel_id}`}
        </Link>
        <Mono>{attempt.upstream_model}</Mono>
        <Box sx={{ flexGrow: 1 }} />
        <StatusChip
          tone={answered ? 'success' : attempt.outcome === 'abandoned' ? 'neutral' : 'error'}
          dot={false}
        >
          {t(`outcome.${attempt.outcome}`)}
          {attempt.status > 0 && ` · ${attempt.status}`}
        </StatusChip>
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mt: 0.5 }}>
        <Box
          aria-hidden
          sx={{ flexGrow: 1, height: 4, borderRadius: 999, bgcolor: 'neutral.soft', overflow: 'hidden' }}
        >
          <Box
            style={{ marginLeft: share(attempt.started_after), width: share(attempt.duration) }}
            sx={{ height: '100%', minWidth: 3, bgcolor: answered ? 'success.main' : 'error.main' }}
          />
        </Box>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {t('attemptTime', {
            start: format.duration(attempt.started_after),
            duration: format.duration(attempt.duration),
          })}
        </Typography>
      </Box>
      {attempt.message !== '' && (
        <Typography
          variant="caption"
          component="p"
          sx={{ mt: 0.5, color: 'text.secondary', overflowWrap: 'anywhere' }}
        >
          {attempt.message}
        </Typography>
      )}
    </Box>
  );
}
