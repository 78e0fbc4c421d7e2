import Button from '@mui/material/Button';
import type { Channel, ChannelFilter } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { IconDotsVertical, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { channelPath } from '../../../paths.ts';
import { BulkDelete } from '../../../ui/actions/confirm-button.tsx';
import { MenuButton } from '../../../ui/actions/menu-button.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { LinkAlert } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { type Option, toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { useCatalogueAlert } from '../../catalog/catalog-updates/queries.ts';
import { tagsQuery } from '../bulk-edit/bulk-calls-and-undo.ts';
import type { ChannelTarget } from '../bulk-edit/bulk-target.tsx';
import { channelListQuery, listChannels, type SettableStatus, useProviders } from '../queries.ts';
import { channelStatuses } from './channel-chips-and-figures.tsx';
import { channelColumns } from './channel-columns.tsx';
import { ChannelDrawer } from './channel-drawer.tsx';
import { ChannelMenu } from './channel-menu.tsx';
import { PriorityDrag } from './priority-drag.tsx';
import { useProviderName } from './provider-and-option-names.ts';
import { useChannelActions } from './use-channel-actions.ts';

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
  import('../channel-tests/test-dialog.tsx').then((module) => ({ default: module.TestDialog })),
);

/** Lists the channels. `?open=` shows one; the editor has its own page. */
export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const mayWrite = useHasAccess('channels.write');
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
          { label: t('edits.export.title'), onSelect: () => onDialog({ kind: 'export', target: everything }) },
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

const noChannels: Channel[] = [];

interface ChannelsTableProps {
  onOpen: (channel: Channel) => void;
  onTest: (channels: readonly Channel[]) => void;
  onEdit: (target: ChannelTarget) => void;
  onExport: (target: ChannelTarget) => void;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

function ChannelsTable({ onOpen, onTest, onEdit, onExport, empty }: ChannelsTableProps) {
  const { t } = useTranslation('channels');
  const { list, filter } = useChannelList();
  const groups = useGroupOptions();
  const query = { page: list.page, size: list.size, order: list.order, ...filter };
  const listed = useQuery(channelListQuery(query));
  const { data } = listed;
  const columns = useMemo(() => channelColumns(t, groups), [t, groups]);
  const renderMenu = useCallback(
    (channel: Channel) => <ChannelMenu channel={channel} onTest={(one) => onTest([one])} />,
    [onTest],
  );
  const rows = data?.data ?? noChannels;
  const mayWrite = useHasAccess('channels.write');
  const isDraggable = mayWrite && list.order === '-priority' && !list.narrowed;
  return (
    <PriorityDrag channels={isDraggable ? rows : noChannels}>
      <DataTable
        name="channels"
        label={t('title')}
        columns={columns}
        list={list}
        query={listed}
        rowId={(channel) => String(channel.id)}
        onOpen={onOpen}
        renderActions={renderMenu}
        {...(mayWrite && {
          renderBulkActions: (selected: Channel[], done: () => void) => {
            const target = { selected, filter, total: data?.total_count };
            return (
              <ChannelBulkActions
                channels={selected}
                onTest={onTest}
                onEdit={() => onEdit(target)}
                onExport={() => onExport(target)}
                onDone={done}
              />
            );
          },
        })}
        fetchPage={(page, size) => listChannels({ ...query, page, size })}
        filterBar={<ChannelFilters list={list} groups={groups} />}
        empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
    </PriorityDrag>
  );
}

interface ChannelBulkActionsProps {
  channels: readonly Channel[];
  onTest: (channels: readonly Channel[]) => void;
  onEdit: () => void;
  onExport: () => void;
  onDone: () => void;
}

function ChannelBulkActions({ channels, onTest, onEdit, onExport, onDone }: ChannelBulkActionsProps) {
  const { t } = useTranslation(['channels', 'common']);
  const { setStatus, remove } = useChannelActions();
  const change = async (status: SettableStatus) => {
    onDone();
    await setStatus(channels, status);
  };
  const look = { size: 'small', variant: 'outlined' } as const;
  return (
    <>
      <Button {...look} color="inherit" onClick={onEdit}>
        {t('common:edit')}
      </Button>
      <Button {...look} color="inherit" onClick={() => onTest(channels)}>
        {t('test.verb')}
      </Button>
      <Button {...look} color="inherit" onClick={() => void change('enabled')}>
        {t('common:enable')}
      </Button>
      <Button {...look} color="inherit" onClick={() => void change('disabled')}>
        {t('common:disable')}
      </Button>
      <Button {...look} color="inherit" onClick={onExport}>
        {t('edits.export.verb')}
      </Button>
      <BulkDelete
        count={channels.length}
        title={t('deleteTitle', { count: channels.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(channels);
          onDone();
        }}
      />
    </>
  );
}

const channelFilterNames = ['type', 'status', 'group', 'tag'] as const;

interface ChannelFiltersProps {
  list: ListState<(typeof channelFilterNames)[number]>;
  groups: readonly Option[];
}

function ChannelFilters({ list, groups }: ChannelFiltersProps) {
  const { t } = useTranslation('channels');
  const providerName = useProviderName();
  const providers = useProviders();
  const known = useQuery(tagsQuery).data?.map(({ tag }) => tag) ?? [];
  const tags = [...new Set([list.filters.tag ?? '', ...known])].filter((tag) => tag !== '');
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          {
            name: 'type',
            label: t('type'),
            options: providers.map((one) => ({ value: String(one.type), label: providerName(one) })),
          },
          {
            name: 'status',
            label: t('status'),
            options: toOptions(channelStatuses, (status) => t(`statusName.${status}`)),
          },
          { name: 'group', label: t('group'), options: groups },
          ...(tags.length > 0 ? [{ name: 'tag' as const, label: t('tag'), options: toOptions(tags.toSorted()) }] : []),
        ]}
      />
    </FilterBar>
  );
}

/** Returns the list state of the URL and the filter in the API's form. */
function useChannelList() {
  const list = useListState(channelFilterNames, '-priority');
  const type = Number(list.filters.type);
  const filter: ChannelFilter = {
    keyword: list.keyword === '' ? undefined : list.keyword,
    type: list.filters.type !== undefined && Number.isInteger(type) ? type : undefined,
    status: oneOf(list.filters.status, channelStatuses),
    group: list.filters.group,
    tag: list.filters.tag,
  };
  return { list, filter };
}
