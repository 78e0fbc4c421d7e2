import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { ModelTestChip } from './model-test-chip.tsx';
import { testKey, type useTestRun } from './use-test-run.ts';

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
