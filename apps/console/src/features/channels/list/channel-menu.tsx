import type { Channel } from '@switchyard/contract/channels/channels';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { channelPath, paths } from '../../../paths.ts';
import { MoreMenu, type MoreMenuEntry } from '../../../ui/actions/more-menu.tsx';
import { openInNewTab } from '../../../ui/browser/open-url.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { useProviders } from '../queries.ts';
import { useChannelActions } from './use-channel-actions.ts';

interface ChannelMenuProps {
  channel: Channel;
  onTest: (channel: Channel) => void;
  /** Callback after the channel was deleted, for closing its view. */
  onRemoved?: () => void;
}

export function ChannelMenu({ channel, onTest, onRemoved }: ChannelMenuProps) {
  const { t } = useTranslation(['channels', 'common']);
  const navigate = useNavigate();
  const { setStatus, remove, refreshBalance } = useChannelActions();
  const provider = useProviders().find(({ id }) => id === channel.provider);
  const website = provider?.website ?? '';
  const mayWrite = useHasAccess('channels.write');
  const enabled = channel.status === 'enabled';
  const go = (to: string, search: Record<string, string> = {}) => void navigate({ to, search });
  const reading: MoreMenuEntry[] = [
    { label: t('showLog'), onSelect: () => go(paths.usageRecords, { channel_id: String(channel.id) }) },
    ...(website === ''
      ? []
      : [{ label: t('openWebsite', { name: provider?.label }), onSelect: () => openInNewTab(website) }]),
  ];
  const writing: MoreMenuEntry[] = [
    { label: t('common:edit'), onSelect: () => go(channelPath(channel.id)) },
    { label: t('test.verb'), onSelect: () => onTest(channel) },
    {
      label: t(enabled ? 'common:disable' : 'common:enable'),
      onSelect: () => void setStatus([channel], enabled ? 'disabled' : 'enabled'),
    },
    ...(provider?.can_read_balance === true
      ? [{ label: t('refreshBalance'), onSelect: () => void refreshBalance(channel) }]
      : []),
    { label: t('duplicate'), onSelect: () => go(channelPath('new'), { copy: String(channel.id) }) },
    ...reading,
    {
      label: t('common:delete'),
      danger: true,
      apart: true,
      question: { title: t('deleteOneTitle', { name: channel.name }), text: t('deleteText') },
      onConfirm: async () => {
        await remove([channel]);
        onRemoved?.();
      },
    },
  ];
  return <MoreMenu entries={mayWrite ? writing : reading} />;
}
