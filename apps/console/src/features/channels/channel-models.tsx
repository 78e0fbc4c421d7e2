import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Channel } from '@switchyard/contract/channels';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../ui/copy-button.tsx';
import { ModelChip } from './model-chip.tsx';
import { TestResult } from './test-result.tsx';
import { taskKey, type useChannelTests } from './use-channel-tests.ts';

interface ChannelModelsProps {
  channel: Channel;
  tests: ReturnType<typeof useChannelTests>;
}

/** The channel's models; each can be tested by itself, and all of them one after the other. */
export function ChannelModels({ channel, tests: { states, running, run, stop } }: ChannelModelsProps) {
  const { t } = useTranslation('channels');
  const copy = useCopy();
  const { id, models } = channel;
  // A pattern such as gpt-4* is no model that could be called.
  const callable = models.filter((model) => !model.endsWith('*'));
  const tasks = callable.map((model) => ({ id, model }));
  const finished = tasks.filter((task) =>
    ['passed', 'failed'].includes(states.get(taskKey(task))?.step ?? ''),
  );
  const usual = states.get(taskKey({ id }));
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
            disabled={tasks.length === 0}
            onClick={() => void run(tasks)}
          >
            {t('test.all')}
          </Button>
        )}
      </Box>
      {running && (
        <LinearProgress
          variant={tasks.length > 1 ? 'determinate' : 'indeterminate'}
          value={(finished.length / Math.max(1, tasks.length)) * 100}
          aria-label={t('test.progress')}
          sx={{ mb: 1 }}
        />
      )}
      {usual !== undefined && (
        <Box aria-live="polite" sx={{ mb: 1, fontSize: '0.8125rem' }}>
          <TestResult state={usual} />
        </Box>
      )}
      <Box
        component="ul"
        aria-live="polite"
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, m: 0, p: 0, listStyle: 'none' }}
      >
        {models.map((model) => (
          <ModelChip
            key={model}
            model={model}
            state={states.get(taskKey({ id, model }))}
            {...(model.endsWith('*') || running ? {} : { onTest: () => void run([{ id, model }]) })}
          />
        ))}
      </Box>
    </Box>
  );
}
