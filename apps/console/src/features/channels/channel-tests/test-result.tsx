import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import { FailureExplanation } from './failure-explanation.tsx';

/** Test to show; it is running while it has no result. */
export interface ShownTest {
  result: Pick<StoredTest, 'outcome' | 'duration' | 'problem' | 'message'> | undefined;
}

const look = { display: 'inline-flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;

export function TestResult({ state }: { state: ShownTest | undefined }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  if (state === undefined) return null;
  const { result } = state;
  if (result === undefined) {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        <CircularProgress size={14} aria-label={t('test.running')} />
        {t('test.running')}
      </Box>
    );
  }
  if (result.outcome === 'passed') {
    return (
      <Box component="span" sx={{ ...look, color: 'success.main' }}>
        <IconCheck size={16} />
        {format.duration(result.duration)}
      </Box>
    );
  }
  if (result.outcome === 'not-applicable') {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        <IconMinus size={16} />
        {t('tests.outcome.not-applicable')}
      </Box>
    );
  }
  return (
    <Box sx={{ ...look, alignItems: 'flex-start', color: 'error.main' }}>
      <IconX size={16} style={{ flexShrink: 0, marginTop: 1 }} />
      <FailureExplanation problem={result.problem} message={result.message} />
    </Box>
  );
}
