import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ProcessorId } from '@switchyard/contract/ids';
import { useTranslation } from 'react-i18next';
import { useErrorSentence } from '../../../ui/feedback/error-sentence.ts';
import { useTestProcessor } from './queries.ts';

interface ProcessorTestProps {
  id: ProcessorId;
  /** Only what is stored can be tested. */
  unchanged: boolean;
}

export function ProcessorTest({ id, unchanged }: ProcessorTestProps) {
  const { t } = useTranslation('processors');
  const sentence = useErrorSentence();
  const test = useTestProcessor();
  const failure = test.isError
    ? sentence(test.error)
    : test.data?.ok === false
      ? test.data.reason
      : undefined;
  return (
    <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      <Button
        variant="outlined"
        color="inherit"
        disabled={!unchanged}
        loading={test.isPending}
        onClick={() => test.mutate(id)}
      >
        {t('test')}
      </Button>
      <Box aria-live="polite" sx={{ fontSize: '0.75rem', color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {!unchanged && t('testAfterSaving')}
        {unchanged && test.data?.ok === true && <Alert severity="success">{t('testOk')}</Alert>}
        {unchanged && failure !== undefined && (
          <Alert severity="error">{t('testFailed', { reason: failure })}</Alert>
        )}
      </Box>
    </Box>
  );
}
