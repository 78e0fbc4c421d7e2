import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ModelOutput } from '@switchyard/contract/playground/conversation';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { answerCostQuery } from '../page/queries.ts';

/**
 * Shows tokens, times, speed and cost of a response or one of its rounds, with a link to its usage record.
 */
export function AnswerFacts({ said }: { said: ModelOutput }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const { requestId = '', firstMs, totalMs } = said;
  const { data: settled } = useQuery(answerCostQuery(requestId));
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        columnGap: 1.5,
        rowGap: 0.25,
        fontSize: '0.75rem',
        color: 'text.secondary',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      {settled != null && settled.prompt_tokens + settled.completion_tokens > 0 && (
        <Fact hint={t('tokensHint')}>
          {t('tokens', {
            input: format.number(settled.prompt_tokens),
            output: format.number(settled.completion_tokens),
          })}
        </Fact>
      )}
      {firstMs !== undefined && (
        <Fact hint={t('firstTokenHint')}>{t('firstToken', { time: format.duration(firstMs) })}</Fact>
      )}
      {totalMs !== undefined && <Fact hint={t('totalTimeHint')}>{format.duration(totalMs)}</Fact>}
      {settled != null && totalMs !== undefined && settled.completion_tokens > 0 && (
        <Fact hint={t('speedHint')}>
          {t('speed', { speed: format.number(speed(settled.completion_tokens, totalMs, firstMs)) })}
        </Fact>
      )}
      {settled != null && (
        <Box component="span" sx={{ fontWeight: 500, color: 'text.primary' }}>
          <Money points={settled.quota} />
        </Box>
      )}
      {requestId !== '' && (
        <Link to={paths.usageRecords} search={{ request_id: requestId }}>
          {t('inLog')}
        </Link>
      )}
    </Box>
  );
}

function Fact({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <Tooltip title={hint}>
      <span>{children}</span>
    </Tooltip>
  );
}

/** Returns tokens per second while streaming; for a response in one piece, since the request. */
function speed(tokens: number, totalMs: number, firstMs: number | undefined): number {
  const streamedMs = totalMs - (firstMs ?? 0);
  return Math.round(tokens / (Math.max(1, streamedMs < 50 ? totalMs : streamedMs) / 1000));
}
