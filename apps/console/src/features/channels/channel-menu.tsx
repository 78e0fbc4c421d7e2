import Divider from '@mui/material/Divider';
import MenuItem from '@mui/material/MenuItem';
import type { Channel } from '@switchyard/contract/channels';
import { IconDots } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { channelPath } from './channel-paths.ts';
import { useProviders } from './queries.ts';
import { useChannelActions } from './use-channel-actions.ts';

interface ChannelMenuProps {
  channel: Channel;
  onTest: (channel: Channel) => void;
}

export function ChannelMenu({ channel, onTest }: ChannelMenuProps) {
  const { t } = useTranslation(['channels', 'common']);
  const [asked, setAsked] = useState(false);
  const navigate = useNavigate();
  const { setStatus, remove, refreshBalance } = useChannelActions();
  const provider = useProviders().find(({ id }) => id === channel.provider);
  const enabled = channel.status === 'enabled';
  const go = (to: string, search: Record<string, string> = {}) => void navigate({ to, search });
  return (
    <>
      <MenuButton label={t('common:more')} icon={<IconDots size={18} />} size="small">
        {(close) => {
          const item = (label: string, act: () => void, danger = false) => (
            <MenuItem
              key={label}
              onClick={() => {
                close();
                act();
              }}
              sx={danger ? { color: 'error.main' } : {}}
            >
              {label}
            </MenuItem>
          );
          return [
            item(t('common:edit'), () => go(channelPath(channel.id))),
            item(t('test.verb'), () => onTest(channel)),
            item(
              t(enabled ? 'common:disable' : 'common:enable'),
              () => void setStatus([channel], enabled ? 'disabled' : 'enabled'),
            ),
            provider?.can_read_balance === true &&
              item(t('refreshBalance'), () => void refreshBalance(channel)),
            item(t('duplicate'), () => go(channelPath('new'), { copy: String(channel.id) })),
            item(t('showLog'), () => go(paths.usageRecords, { channel_id: String(channel.id) })),
            provider !== undefined &&
              provider.website !== '' &&
              item(t('openWebsite', { name: provider.label }), () => openOutside(provider.website)),
            <Divider key="line" />,
            item(t('common:delete'), () => setAsked(true), true),
          ];
        }}
      </MenuButton>
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteOneTitle', { name: channel.name }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove([channel])}
        onClose={() => setAsked(false)}
      />
    </>
  );
}

/** A new tab that learns nothing about this one. */
function openOutside(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer');
}
