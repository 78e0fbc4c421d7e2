import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Mono } from '../../ui/mono.tsx';
import { AnswerFacts } from './answer-facts.tsx';
import { AnswerText } from './answer-text.tsx';
import type { Answer, ToolCall } from './conversation.ts';
import { useFailureSentence } from './failure-sentence.ts';

interface AnswerViewProps {
  answer: Answer;
  /** Where the models' columns stand beneath each other, each answer says whose it is. */
  named: boolean;
  /** Only the last answers can be asked for again. */
  onRetry?: (() => void) | undefined;
}

export function AnswerView({ answer, named, onRetry }: AnswerViewProps) {
  const { t } = useTranslation(['playground', 'common']);
  const running = answer.state === 'running';
  const empty = answer.text === '' && answer.reasoning === '' && answer.toolCalls.length === 0;
  return (
    <Box
      component="article"
      aria-label={answer.model}
      aria-busy={running}
      sx={{
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        gap: 1,
        alignContent: 'start',
        minWidth: 0,
      }}
    >
      {named && (
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
          <Mono>{answer.model}</Mono>
        </Box>
      )}
      {answer.reasoning !== '' && (
        <Reasoning text={answer.reasoning} growing={running && answer.text === ''} />
      )}
      {answer.text !== '' && <AnswerText text={answer.text} growing={running} />}
      {answer.toolCalls.map((call) => (
        <ToolCallView key={call.place} call={call} />
      ))}
      {running && empty && <Waiting />}
      {answer.state === 'stopped' && (
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('stopped')}</Box>
      )}
      <FailureNote answer={answer} onRetry={onRetry} />
      {!running && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, ml: -0.5 }}>
          {answer.text !== '' && <CopyButton text={answer.text} what={t('answer')} />}
          {onRetry !== undefined && answer.state !== 'failed' && (
            <IconButton size="small" title={t('again')} aria-label={t('again')} onClick={onRetry}>
              <IconRefresh size={16} />
            </IconButton>
          )}
          <AnswerFacts answer={answer} />
        </Box>
      )}
    </Box>
  );
}

function Waiting() {
  const { t } = useTranslation('playground');
  return (
    <Box
      role="status"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, color: 'text.secondary', minHeight: 28 }}
    >
      <CircularProgress size={14} />
      {t('waiting')}
    </Box>
  );
}

function Reasoning({ text, growing }: { text: string; growing: boolean }) {
  const { t } = useTranslation('playground');
  return (
    <Box component="details" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
      <Box component="summary" sx={{ cursor: 'pointer', width: 'fit-content', borderRadius: 1 }}>
        {t(growing ? 'thinking' : 'thoughts')}
      </Box>
      <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1.5, mt: 1 }}>
        <AnswerText text={text} growing={growing} />
      </Box>
    </Box>
  );
}

function ToolCallView({ call }: { call: ToolCall }) {
  const { t } = useTranslation('playground');
  return (
    <Box>
      <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem', mb: 0.5 }}>
        {t('toolCall')} <Mono>{call.name}</Mono>
      </Box>
      <CodeBlock code={indented(call.arguments)} label={t('arguments')} />
    </Box>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // Not complete yet.
    return json;
  }
}

function FailureNote({ answer, onRetry }: Pick<AnswerViewProps, 'answer' | 'onRetry'>) {
  const { t } = useTranslation(['playground', 'common']);
  const sentence = useFailureSentence();
  if (answer.failure === undefined) return null;
  return (
    <Alert
      severity="error"
      action={
        onRetry !== undefined && (
          <Button color="inherit" size="small" onClick={onRetry}>
            {t('common:retry')}
          </Button>
        )
      }
    >
      {sentence(answer.failure)}
      {answer.requestId !== undefined && (
        <Box
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 0.5,
            fontSize: '0.75rem',
            overflowWrap: 'anywhere',
          }}
        >
          <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
            {t('common:requestId')}
          </Box>
          <Mono>{answer.requestId}</Mono>
          <CopyButton text={answer.requestId} what={t('common:requestId')} />
        </Box>
      )}
    </Alert>
  );
}
