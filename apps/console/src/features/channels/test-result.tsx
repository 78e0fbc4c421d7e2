import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/use-format.ts';
import type { TestState } from './use-channel-tests.ts';

/** How far one test is, and what came of it. */
export function TestResult({ state }: { state: TestState | undefined }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  if (state === undefined) return null;
  const look = { display: 'inline-flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;
  if (state.step === 'waiting') {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        {t('test.waiting')}
      </Box>
    );
  }
  if (state.step === 'running') {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        <CircularProgress size={14} aria-label={t('test.running')} />
        {t('test.running')}
      </Box>
    );
  }
  if (state.step === 'passed') {
    return (
      <Box component="span" sx={{ ...look, color: 'success.main' }}>
        <IconCheck size={16} />
        {format.duration(state.duration)}
      </Box>
    );
  }
  return (
    <Box component="span" sx={{ ...look, alignItems: 'flex-start', color: 'error.main' }}>
      <IconX size={16} style={{ flexShrink: 0, marginTop: 1 }} />
      <Box component="span" sx={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        {state.message === '' ? t('test.failed') : state.message}
      </Box>
    </Box>
  );
}
