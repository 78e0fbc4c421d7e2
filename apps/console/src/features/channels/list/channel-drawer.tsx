import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { channelPath } from '../channel-paths.ts';
import { ChannelKeys } from '../editor/channel-keys.tsx';
import { ChannelModels } from '../editor/channel-models.tsx';
import { ChannelHealth } from '../health/channel-health.tsx';
import { ChannelHistory } from '../health/channel-history.tsx';
import { channelQuery } from '../queries.ts';
import { useTestRun } from '../tests/use-test-run.ts';
import { ChannelFacts } from './channel-facts.tsx';
import { ChannelMenu } from './channel-menu.tsx';
import { ChannelStatusChip } from './channel-status.tsx';
import { KeptTests } from './kept-tests.tsx';

interface ChannelDrawerProps {
  id: ChannelId | undefined;
  /** Opens the test in a dialog of its own. */
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
  const mayWrite = useMay('channels.write');
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
      <ChannelModels channel={channel} tests={tests} />
      <KeptTests channel={channel} onTest={onTest} />
    </Box>
  );
}
