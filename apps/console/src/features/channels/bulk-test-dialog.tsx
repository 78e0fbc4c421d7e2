import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import type { Channel } from '@switchyard/contract/channels';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../ui/name.tsx';
import { ProviderLogo } from '../../ui/provider-logo.tsx';
import { TestResult } from './test-result.tsx';
import { useChannelActions } from './use-channel-actions.ts';
import { taskKey, useChannelTests } from './use-channel-tests.ts';

interface BulkTestDialogProps {
  channels: readonly Channel[];
  onClose: () => void;
}

/** Tests the chosen channels one after the other and shows each result as it comes. */
export function BulkTestDialog({ channels, onClose }: BulkTestDialogProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const { states, running, run, stop } = useChannelTests();
  const { setStatus } = useChannelActions();
  const tasks = channels.map(({ id }) => ({ id }));
  const stateOf = (channel: Channel) => states.get(taskKey({ id: channel.id }));
  const done = channels.filter((channel) =>
    ['passed', 'failed'].includes(stateOf(channel)?.step ?? ''),
  ).length;
  const failed = channels.filter((channel) => stateOf(channel)?.step === 'failed');
  const toDisable = failed.filter(({ status }) => status === 'enabled');

  const start = useRef(() => void run(tasks));
  useEffect(() => start.current(), []);

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('test.title', { count: channels.length })}</DialogTitle>
      <LinearProgress
        variant="determinate"
        value={(done / Math.max(1, channels.length)) * 100}
        aria-label={t('test.progress')}
      />
      <DialogContent sx={{ p: 0 }}>
        <Box component="ul" aria-live="polite" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
          {channels.map((channel) => (
            <Box
              component="li"
              key={channel.id}
              sx={{
                display: 'grid',
                gridTemplateColumns: '20px minmax(0, 1fr) minmax(90px, 1.4fr)',
                alignItems: 'center',
                gap: 1,
                px: 3,
                py: 1,
                minHeight: 40,
                borderBottom: 1,
                borderColor: 'divider',
              }}
            >
              <ProviderLogo provider={channel.provider} size={16} />
              <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
                <Name id={channel.id}>{channel.name}</Name>
              </Box>
              <TestResult state={stateOf(channel)} />
            </Box>
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Box aria-live="polite" sx={{ flexGrow: 1, pl: 2, fontSize: '0.8125rem', color: 'text.secondary' }}>
          {t('test.summary', { passed: done - failed.length, failed: failed.length })}
        </Box>
        {!running && toDisable.length > 0 && (
          <Button color="error" onClick={() => void setStatus(toDisable, 'disabled').then(onClose)}>
            {t('test.disableFailed', { count: toDisable.length })}
          </Button>
        )}
        {running ? (
          <Button color="inherit" onClick={stop}>
            {t('test.stop')}
          </Button>
        ) : (
          <Button color="inherit" onClick={() => void run(tasks)}>
            {t('test.again')}
          </Button>
        )}
        <Button variant="contained" onClick={onClose}>
          {t('common:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
