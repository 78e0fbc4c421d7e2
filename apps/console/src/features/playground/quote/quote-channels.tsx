import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Verdict } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { useVerdictSentence } from '../../../ui/product/verdict-sentence.ts';

const choosing: ReadonlySet<Verdict['reason']> = new Set([
  'chosen',
  'pinned',
  'warm',
  'fastest',
  'cheapest',
  'last-resort',
]);

/** Shows administrators which channel would be selected, and the routing decision for each of the others. */
export function QuoteChannels({ verdicts }: { verdicts: readonly Verdict[] }) {
  const { t } = useTranslation('quote');
  const sentence = useVerdictSentence();
  return (
    <Box component="section">
      <Typography variant="subtitle2" component="h3" sx={{ mb: 1 }}>
        {t('channels')}
      </Typography>
      <Box component="ul" sx={list}>
        {verdicts.map((verdict) => (
          <Box component="li" key={verdict.channel_id} sx={row}>
            <Link to={paths.channels} search={{ open: String(verdict.channel_id) }}>
              <Name id={verdict.channel_id}>{verdict.channel_name}</Name>
            </Link>
            {choosing.has(verdict.reason) ? (
              <StatusChip tone="success">{sentence(verdict)}</StatusChip>
            ) : (
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {sentence(verdict)}
              </Box>
            )}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 1,
  fontSize: '0.8125rem',
} as const;
const row = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  overflowWrap: 'anywhere',
} as const;
