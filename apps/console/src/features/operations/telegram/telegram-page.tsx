import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { TelegramCommand } from '@switchyard/contract/operations/telegram';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { LazyOverlay } from '../../../ui/layout/lazy-overlay.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { BotStateCard } from './bot-state-card.tsx';
import {
  botStateQuery,
  commandsQuery,
  useMoveCommand,
  useReloadCommands,
  useRemoveCommand,
  useSaveCommand,
} from './queries.ts';

const CommandEditor = lazy(() => import('./command-editor.tsx').then((module) => ({ default: module.CommandEditor })));

/** Shows the state of the site's bot and its custom commands. `?edit=` changes one, `?edit=new` adds one. */
export function TelegramPage() {
  const { t } = useTranslation('telegram');
  const [edited, setEdited] = useSearchParam('edit');
  const list = useListState([]);
  const state = useQuery(botStateQuery);
  const listed = useQuery(commandsQuery);
  const { data } = listed;
  const wanted = list.keyword.toLowerCase().replace(/^\//, '');
  const found = data?.filter(({ command, description }) => `${command} ${description.toLowerCase()}`.includes(wanted));
  const create = () => setEdited('new');
  const edit = ({ id }: TelegramCommand) => setEdited(String(id));
  const isEdited = edited !== undefined && data !== undefined;
  return (
    <>
      <PageHeader
        title={t('page.title')}
        actions={
          <>
            {state.data?.set_up === true && <ReloadButton />}
            <PrimaryAction icon={<IconPlus size={18} />} label={t('page.new')} onClick={create} />
          </>
        }
      />
      <Box sx={{ mb: 2 }}>
        {state.data === undefined ? (
          <PendingPanel error={state.error} refetch={state.refetch} height={80} />
        ) : (
          <BotStateCard state={state.data} />
        )}
      </Box>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>
        {t('page.intro')}
      </Typography>
      <DataTable
        name="telegram-commands"
        label={t('page.commands')}
        columns={commandColumns(t)}
        list={list}
        query={localQuery(found, list, {}, listed)}
        rowId={({ id }) => String(id)}
        onOpen={edit}
        renderActions={(command) => (
          <CommandMenu
            command={command}
            first={data?.[0]?.id === command.id}
            last={data?.at(-1)?.id === command.id}
            onEdit={() => edit(command)}
          />
        )}
        filterBar={<FilterBar list={list} placeholder={t('page.search')} />}
        empty={
          <EmptyState
            action={
              <Button variant="outlined" onClick={create}>
                {t('page.new')}
              </Button>
            }
          >
            {t('page.empty')}
          </EmptyState>
        }
        emptyFiltered={<EmptyState>{t('page.nothingFound')}</EmptyState>}
      />
      <LazyOverlay open={isEdited}>
        <CommandEditor
          open={isEdited}
          command={data?.find(({ id }) => String(id) === edited)}
          isNew={edited === 'new'}
          onClose={() => setEdited(undefined)}
        />
      </LazyOverlay>
    </>
  );
}

function ReloadButton() {
  const { t } = useTranslation('telegram');
  const notifyError = useNotifyError();
  const { mutate, isPending } = useReloadCommands();
  return (
    <Button
      variant="outlined"
      color="inherit"
      startIcon={<IconRefresh size={18} />}
      title={t('page.reloadHelp')}
      loading={isPending}
      onClick={() =>
        mutate(undefined, { onSuccess: () => notify('success', t('page.reloaded')), onError: notifyError })
      }
    >
      {t('page.reload')}
    </Button>
  );
}

const column = columnsFor<TelegramCommand>();

function commandColumns(t: TFunction<'telegram'>) {
  return [
    column.field('command', t('command.command'), {
      size: 180,
      card: 'title',
      cell: (command) => <Mono>{`/${command}`}</Mono>,
    }),
    column.field('enabled', t('command.status'), {
      size: 120,
      card: 'state',
      cell: (enabled) => (
        <StatusChip tone={enabled ? 'success' : 'neutral'}>{t(enabled ? 'command.on' : 'command.off')}</StatusChip>
      ),
    }),
    column.field('description', t('command.description'), { size: 260, card: 'figure' }),
    column.field('parse_mode', t('command.type'), {
      size: 140,
      cell: (parseMode) => t(`command.typeName.${parseMode}`),
    }),
    column.field('reply_message', t('command.content'), { size: 380 }),
  ];
}

interface CommandMenuProps {
  command: TelegramCommand;
  first: boolean;
  last: boolean;
  onEdit: () => void;
}

function CommandMenu({ command, first, last, onEdit }: CommandMenuProps) {
  const { t } = useTranslation(['telegram', 'common']);
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: save } = useSaveCommand();
  const { mutate: move } = useMoveCommand();
  const { mutateAsync: remove } = useRemoveCommand();
  const { id, enabled } = command;
  const name = `/${command.command}`;
  const toggle = () =>
    undoable({
      send: save,
      to: { ...command, enabled: !enabled },
      back: () => command,
      done: t(enabled ? 'command.switchedOff' : 'command.switchedOn', { name }),
    });
  return (
    <MoreMenu
      entries={[
        { label: t('common:edit'), onSelect: onEdit },
        ...(first
          ? []
          : [{ label: t('command.up'), onSelect: () => move({ id, to: 'up' }, { onError: notifyError }) }]),
        ...(last
          ? []
          : [{ label: t('command.down'), onSelect: () => move({ id, to: 'down' }, { onError: notifyError }) }]),
        { label: t(enabled ? 'common:disable' : 'common:enable'), onSelect: () => void toggle() },
        {
          label: t('common:delete'),
          danger: true,
          apart: true,
          question: { title: t('command.deleteTitle', { name }), text: t('command.deleteText') },
          onConfirm: async () => {
            await remove(id);
            notify('success', t('command.deleted', { name }));
          },
        },
      ]}
    />
  );
}
