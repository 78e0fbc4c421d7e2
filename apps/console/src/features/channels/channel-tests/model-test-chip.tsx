import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { TestResult } from './test-result.tsx';
import type { TestState } from './use-test-run.ts';

interface ModelChipProps {
  model: string;
  state: TestState | undefined;
  /** Absent while the model cannot be tested. */
  onTest?: () => void;
}

/** Shows a model that a click tests; a failed one takes a whole line for its reason. */
export function ModelTestChip({ model, state, onTest }: ModelChipProps) {
  const { t } = useTranslation('channels');
  const failed = state?.result?.outcome === 'failed';
  const name = (
    <Box component="span" sx={{ fontFamily: monoFont, overflowWrap: 'anywhere', textAlign: 'start' }}>
      <Name>{model}</Name>
    </Box>
  );
  return (
    <Box
      component="li"
      sx={{
        display: 'inline-flex',
        flexWrap: failed ? 'wrap' : 'nowrap',
        alignItems: 'center',
        columnGap: 1,
        width: failed ? '100%' : 'auto',
        maxWidth: '100%',
        minHeight: 26,
        px: 1.25,
        py: failed ? 0.5 : 0.25,
        // The round corners of a pill would cut a name of several lines.
        borderRadius: failed ? 1 : '13px',
        fontSize: '0.75rem',
        bgcolor: failed ? 'error.soft' : 'neutral.soft',
        color: 'neutral.onSoft',
      }}
    >
      {onTest === undefined ? (
        name
      ) : (
        <Tooltip title={t('test.model', { model })}>
          <ButtonBase onClick={onTest} aria-label={t('test.model', { model })} sx={{ borderRadius: 0.5 }}>
            {name}
          </ButtonBase>
        </Tooltip>
      )}
      <TestResult state={state} />
    </Box>
  );
}
