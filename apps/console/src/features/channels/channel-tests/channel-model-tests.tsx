import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import LinearProgress from '@mui/material/LinearProgress';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { TestResult } from './test-results.tsx';
import { type TestState, testKey, type useTestRun } from './use-test-run.ts';

interface ChannelModelTestsProps {
  channel: Channel;
  tests: ReturnType<typeof useTestRun>;
}

/** Lists the channel's models, which can be tested singly or all in sequence. */
export function ChannelModelTests({ channel, tests: { states, running, run, stop } }: ChannelModelTestsProps) {
  const { t } = useTranslation('channels');
  const copy = useCopy();
  const { id, models } = channel;
  // A pattern such as gpt-4* cannot be called.
  const callable = models.filter((model) => !model.endsWith('*'));
  const stateOf = (model: string) => states.get(testKey({ channelId: id, model, kind: 'short' }));
  const finished = callable.filter((model) => stateOf(model)?.result !== undefined);
  const test = (models: string[] | 'all') => void run([{ channels: { ids: [id] }, models, kinds: ['short'] }]);
  return (
    <Box component="section">
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 1 }}>
        <Typography variant="h3">{t('modelsCount', { count: models.length })}</Typography>
        <Box sx={{ flexGrow: 1 }} />
        <Button size="small" color="inherit" onClick={() => void copy(models.join(','), t('modelNames'))}>
          {t('copyAll')}
        </Button>
        {running ? (
          <Button size="small" variant="outlined" color="inherit" onClick={stop}>
            {t('test.stop')}
          </Button>
        ) : (
          <Button
            size="small"
            variant="outlined"
            color="inherit"
            disabled={callable.length === 0}
            onClick={() => test('all')}
          >
            {t('test.all')}
          </Button>
        )}
      </Box>
      {running && (
        <LinearProgress
          variant={callable.length > 1 ? 'determinate' : 'indeterminate'}
          value={(finished.length / Math.max(1, callable.length)) * 100}
          aria-label={t('test.progress')}
          sx={{ mb: 1 }}
        />
      )}
      <Box
        component="ul"
        aria-live="polite"
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, m: 0, p: 0, listStyle: 'none' }}
      >
        {models.map((model) => (
          <ModelTestChip
            key={model}
            model={model}
            state={stateOf(model)}
            {...(model.endsWith('*') || running ? {} : { onTest: () => test([model]) })}
          />
        ))}
      </Box>
    </Box>
  );
}

interface ModelChipProps {
  model: string;
  state: TestState | undefined;
  /** Absent while the model cannot be tested. */
  onTest?: () => void;
}

/** Shows a model that a click tests; a failed one takes a whole line for its reason. */
function ModelTestChip({ model, state, onTest }: ModelChipProps) {
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
