import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { channelPath, paths } from '../../../paths.ts';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { ChannelModelTests } from '../channel-tests/channel-model-tests.tsx';
import { TestResultList } from '../channel-tests/test-results.tsx';
import { useTestRun } from '../channel-tests/use-test-run.ts';
import { ChannelKeys } from '../editor/channel-keys.tsx';
import { ChannelHealth } from '../health/channel-health.tsx';
import { ChannelHistory } from '../health/channel-uptime-history.tsx';
import { channelQuery, keptTestsQuery } from '../queries.ts';
import { ChannelStatusChip } from './channel-chips-and-figures.tsx';
import { ChannelMenu } from './channel-menu.tsx';
import { ChannelFacts } from './channel-summary.tsx';

interface ChannelDrawerProps {
  id: ChannelId | undefined;
  /** Callback that opens the test dialog. */
  onTest: (channel: Channel) => void;
  onClose: () => void;
}

export function ChannelDrawer({ id, onTest, onClose }: ChannelDrawerProps) {
  return (
    <DetailDrawer
      open={id !== undefined}
      onClose={onClose}
      width={560}
      title={id === undefined ? '' : <Title id={id} />}
    >
      {id !== undefined && <Loaded key={id} id={id} onTest={onTest} onClose={onClose} />}
    </DetailDrawer>
  );
}

function Title({ id }: { id: ChannelId }) {
  const channel = useQuery(channelQuery(id)).data;
  if (channel === undefined) return <Skeleton width={160} />;
  return (
    <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <ProviderLogo provider={channel.provider} size={20} />
      <Name id={channel.id}>{channel.name}</Name>
    </Box>
  );
}

type Parts = Pick<ChannelDrawerProps, 'onTest' | 'onClose'>;

function Loaded({ id, ...parts }: { id: ChannelId } & Parts) {
  const { data: channel, error, refetch } = useQuery(channelQuery(id));
  if (channel === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return <Details channel={channel} {...parts} />;
}

function Details({ channel, onTest, onClose }: { channel: Channel } & Parts) {
  const { t } = useTranslation(['channels', 'common']);
  const mayWrite = useHasAccess('channels.write');
  const tests = useTestRun();
  const { id } = channel;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <ChannelStatusChip channel={channel} />
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton
          size="small"
          variant="outlined"
          color="inherit"
          to={paths.usageRecords}
          search={{ channel_id: String(id) }}
        >
          {t('log')}
        </LinkButton>
        {mayWrite && (
          <LinkButton size="small" variant="outlined" color="inherit" to={channelPath(id)}>
            {t('common:edit')}
          </LinkButton>
        )}
        <ChannelMenu channel={channel} onTest={onTest} onRemoved={onClose} />
      </Box>
      {channel.disabled_reason !== '' && (
        <Box
          sx={{
            p: 1.5,
            borderRadius: 1,
            fontSize: '0.8125rem',
            overflowWrap: 'anywhere',
            bgcolor: 'error.soft',
            color: 'error.onSoft',
          }}
        >
          {channel.disabled_reason}
        </Box>
      )}
      <ChannelFacts channel={channel} />
      {channel.key_count > 0 && <ChannelKeys channel={channel} />}
      <ChannelHealth channel={channel} />
      <ChannelHistory id={id} />
      <ChannelModelTests channel={channel} tests={tests} />
      <KeptTests channel={channel} onTest={onTest} />
    </Box>
  );
}

interface KeptTestsProps {
  channel: Channel;
  onTest: (channel: Channel) => void;
}

function KeptTests({ channel, onTest }: KeptTestsProps) {
  const { t } = useTranslation('channels');
  const mayTest = useHasAccess('channels.write');
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
            <TestResultList tests={tests?.filter((test) => test.model === model) ?? []} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}
