import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Verdict } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/name.tsx';
import { useVerdictSentence } from '../../../ui/product/verdict-sentence.ts';

interface VerdictListProps {
  /** The channel that was asked. */
  channelId: Verdict['channel_id'] | null;
  verdicts: readonly Verdict[];
}

/** Why the channel was asked; unfolded, why not the others. */
export function VerdictList({ channelId, verdicts }: VerdictListProps) {
  const { t } = useTranslation('usage-records');
  const sentence = useVerdictSentence();
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
