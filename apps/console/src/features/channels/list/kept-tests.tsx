import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { keptTestsQuery } from '../queries.ts';
import { FoundTests } from '../tests/found-tests.tsx';

interface KeptTestsProps {
  channel: Channel;
  onTest: (channel: Channel) => void;
}

/** Shows the result of the last test of each kind, by model. */
export function KeptTests({ channel, onTest }: KeptTestsProps) {
  const { t } = useTranslation('channels');
  const mayTest = useMay('channels.write');
  const { data: tests, error, refetch } = useQuery(keptTestsQuery(channel.id));
  const models = [...new Set(tests?.map(({ model }) => model))];
  return (
    <Box component="section" aria-label={t('tests.kept')}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 1 }}>
        <Typography variant="h3" sx={{ flexGrow: 1 }}>
          {t('tests.kept')}
        </Typography>
        {mayTest && (
          <Button size="small" variant="outlined" color="inherit" onClick={() => onTest(channel)}>
            {t('tests.inDetail')}
          </Button>
        )}
      </Box>
      {tests === undefined && <PendingPanel error={error} refetch={refetch} height={80} />}
      {tests?.length === 0 && (
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {t('tests.noneKept')}
        </Typography>
      )}
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        {models.map((model) => (
          <Box key={model}>
            <Box sx={{ mb: 0.75, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
              <Mono>{model}</Mono>
            </Box>
            <FoundTests tests={tests?.filter((test) => test.model === model) ?? []} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}
