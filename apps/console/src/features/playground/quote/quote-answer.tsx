import Box from '@mui/material/Box';
import type { Quote } from '@switchyard/contract/playground/quote';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { QuoteChannels } from './quote-channels.tsx';
import { QuoteFacts } from './quote-facts.tsx';
import { QuoteLimits } from './quote-limits.tsx';

/** Shows whether the request would be sent, its reservation and cost, and the limits that apply. */
export function QuoteAnswer({ answer }: { answer: Quote }) {
  const { refusal, offer, limits, model } = answer;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Outcome refusal={refusal} />
      {/* Without a model the body was not understood, and nothing is known. */}
      {model !== '' && <QuoteFacts answer={answer} />}
      {limits.length > 0 && <QuoteLimits limits={limits} />}
      {offer !== null && offer.verdicts.length > 0 && <QuoteChannels verdicts={offer.verdicts} />}
    </Box>
  );
}

function Outcome({ refusal }: Pick<Quote, 'refusal'>) {
  const { t } = useTranslation('quote');
  if (refusal === null)
    return (
      <Box>
        <StatusChip tone="success">{t('accepted')}</StatusChip>
      </Box>
    );
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 0.5 }}>
        <StatusChip tone="error">{t('refused')}</StatusChip>
        <Mono>HTTP {refusal.status}</Mono>
        <Mono>{refusal.code}</Mono>
      </Box>
      <CodeBlock code={refusal.message} label={t('message')}>
        {/* The client gets it in English, whatever the console's language. */}
        <Box component="span" lang="en" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {refusal.message}
        </Box>
      </CodeBlock>
    </Box>
  );
}
