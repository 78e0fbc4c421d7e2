import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import type { Answer } from '../conversations/conversation.ts';
import { useFailureSentence } from './failure-sentence.ts';

export function FailureNote({ answer, onRetry }: { answer: Answer; onRetry: (() => void) | undefined }) {
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
            flexWrap: 'wrap',
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
