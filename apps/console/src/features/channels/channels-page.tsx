import type { Channel } from '@switchyard/contract/channels';
import { channelId } from '@switchyard/contract/ids';
import { IconDotsVertical, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { PrimaryAction } from '../../ui/primary-action.tsx';
import { useSearchParam } from '../../ui/search-params.ts';
import { ChannelDrawer } from './channel-drawer.tsx';
import { channelPath } from './channel-paths.ts';
import { ChannelsTable } from './channels-table.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useChannelActions } from './use-channel-actions.ts';

/** The accounts at vendors that answer requests. `?open=` shows one; the editor is a page of its own. */
export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const [opened, setOpened] = useSearchParam('open');
  const [tested, setTested] = useState<readonly Channel[]>();
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <PageMenu />
            <PrimaryAction
              icon={<IconPlus size={18} />}
              label={t('new')}
              onClick={() => void navigate({ to: channelPath('new') })}
            />
          </>
        }
      />
      <ChannelsTable
        onOpen={(channel) => setOpened(String(channel.id))}
        onTest={setTested}
        empty={
          <LinkButton variant="contained" to={channelPath('new')}>
            {t('new')}
          </LinkButton>
        }
      />
      <ChannelDrawer
        id={channelId.safeParse(opened).data}
        onTest={(channel) => setTested([channel])}
        onClose={() => setOpened(undefined)}
      />
      {tested !== undefined && <TestDialog channels={tested} onClose={() => setTested(undefined)} />}
    </>
  );
}

function PageMenu() {
  const { t } = useTranslation(['channels', 'common']);
  const [asked, setAsked] = useState(false);
  const { removeDisabled } = useChannelActions();
  return (
    <>
      <MenuButton
        label={t('common:more')}
        icon={<IconDotsVertical size={20} />}
        entries={[{ label: t('deleteDisabled'), onSelect: () => setAsked(true), danger: true }]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteDisabledTitle'),
          text: t('deleteDisabledText'),
          verb: t('common:delete'),
          typed: t('deleteDisabledTyped'),
        }}
        onConfirm={removeDisabled}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
