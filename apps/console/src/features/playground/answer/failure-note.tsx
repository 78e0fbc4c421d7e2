import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Failure } from '@switchyard/contract/playground/conversation';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import type { Answer } from '../conversations/conversation.ts';

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

const known = [
  'unreachable',
  'silent',
  'cut_off',
  'not_understood',
  'recording_gone',
  'invalid_request',
  'invalid_api_key',
  'model_not_allowed',
  'model_not_found',
  'group_not_allowed',
  'insufficient_quota',
  'rate_limit_exceeded',
  'request_too_large',
  'no_available_channel',
  'channel_cap_reached',
  'upstream_rejected',
  'upstream_error',
  'upstream_saturated',
  'server_is_overloaded',
  'context_length_exceeded',
  'server_error',
] as const;
/** Error codes for which the provider's own message is added. */
const told = new Set(['invalid_request', 'upstream_rejected']);

/** Returns a function that explains in the user's language why a response failed. */
function useFailureSentence(): (failure: Failure) => string {
  const { t } = useTranslation('playground');
  return ({ code, message }) => {
    const word = known.find((name) => name === code);
    const sentence = t(`failure.${word ?? 'other'}`);
    return (word === undefined || told.has(word)) && message !== '' ? `${sentence} ${message}` : sentence;
  };
}
