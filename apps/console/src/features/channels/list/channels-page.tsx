import type { Channel } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { IconDotsVertical, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../../../ui/actions/menu-button.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { LinkAlert } from '../../../ui/feedback/link-alert.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { useCatalogueAlert } from '../../catalog/catalogue/queries.ts';
import { channelPath } from '../channel-paths.ts';
import type { ChannelTarget } from '../editor/target-choice.tsx';
import { ChannelDrawer } from './channel-drawer.tsx';
import { ChannelsTable } from './channels-table.tsx';
import { useChannelActions } from './use-channel-actions.ts';
import { useChannelList } from './use-channel-list.ts';

const BulkEditDialog = lazy(() =>
  import('../bulk-edit/bulk-edit-dialog.tsx').then((module) => ({ default: module.BulkEditDialog })),
);
const ExportDialog = lazy(() =>
  import('../import/export-dialog.tsx').then((module) => ({ default: module.ExportDialog })),
);
const ImportDialog = lazy(() =>
  import('../import/import-dialog.tsx').then((module) => ({ default: module.ImportDialog })),
);
const TagsDialog = lazy(() => import('./tags-dialog.tsx').then((module) => ({ default: module.TagsDialog })));
const TestDialog = lazy(() =>
  import('../tests/test-dialog.tsx').then((module) => ({ default: module.TestDialog })),
);

/** The accounts at vendors that answer requests. `?open=` shows one; the editor is a page of its own. */
export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const mayWrite = useMay('channels.write');
  const [opened, setOpened] = useSearchParam('open');
  const alert = useCatalogueAlert();
  const [tested, setTested] = useState<readonly Channel[]>();
  const [dialog, setDialog] = useState<PageDialog>();
  const open = useCallback((channel: Channel) => setOpened(String(channel.id)), [setOpened]);
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          mayWrite && (
            <>
              <PageMenu onDialog={setDialog} />
              <PrimaryAction
                icon={<IconPlus size={18} />}
                label={t('new')}
                onClick={() => void navigate({ to: channelPath('new') })}
              />
            </>
          )
        }
      />
      {alert !== undefined && <LinkAlert {...alert} />}
      <ChannelsTable
        onOpen={open}
        onTest={setTested}
        onEdit={(target) => setDialog({ kind: 'edit', target })}
        onExport={(target) => setDialog({ kind: 'export', target })}
        empty={
          mayWrite && (
            <LinkButton variant="contained" to={channelPath('new')}>
              {t('new')}
            </LinkButton>
          )
        }
      />
      <Suspense fallback={null}>
        <OpenDialog dialog={dialog} onDialog={setDialog} />
      </Suspense>
      <ChannelDrawer
        id={channelId.safeParse(opened).data}
        onTest={(channel) => setTested([channel])}
        onClose={() => setOpened(undefined)}
      />
      <Suspense fallback={null}>
        {tested !== undefined && <TestDialog channels={tested} onClose={() => setTested(undefined)} />}
      </Suspense>
    </>
  );
}

type PageDialog = { kind: 'edit' | 'export'; target: ChannelTarget } | { kind: 'tags' | 'import' };
type OnDialog = (dialog: PageDialog | undefined) => void;

function OpenDialog({ dialog, onDialog }: { dialog: PageDialog | undefined; onDialog: OnDialog }) {
  const { list } = useChannelList();
  const close = () => onDialog(undefined);
  switch (dialog?.kind) {
    case 'edit':
      return <BulkEditDialog target={dialog.target} onClose={close} />;
    case 'export':
      return <ExportDialog target={dialog.target} onClose={close} />;
    case 'import':
      return <ImportDialog onClose={close} />;
    case 'tags':
      return (
        <TagsDialog
          onShow={(tag) => {
            list.setFilter('tag', tag);
            close();
          }}
          onEdit={(target) => onDialog({ kind: 'edit', target })}
          onClose={close}
        />
      );
    case undefined:
      return null;
  }
}

function PageMenu({ onDialog }: { onDialog: OnDialog }) {
  const { t } = useTranslation(['channels', 'common']);
  const [asked, setAsked] = useState(false);
  const { filter } = useChannelList();
  const { removeDisabled } = useChannelActions();
  const everything = { selected: [], filter, total: undefined };
  return (
    <>
      <MenuButton
        label={t('common:more')}
        icon={<IconDotsVertical size={20} />}
        entries={[
          { label: t('edits.tags.title'), onSelect: () => onDialog({ kind: 'tags' }) },
          { label: t('edits.title'), onSelect: () => onDialog({ kind: 'edit', target: everything }) },
          { label: t('edits.import.title'), onSelect: () => onDialog({ kind: 'import' }) },
          {
            label: t('edits.export.title'),
            onSelect: () => onDialog({ kind: 'export', target: everything }),
          },
          { label: t('deleteDisabled'), onSelect: () => setAsked(true), danger: true, apart: true },
        ]}
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
