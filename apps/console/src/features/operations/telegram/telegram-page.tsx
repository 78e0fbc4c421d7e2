import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { TelegramCommand } from '@switchyard/contract/operations/telegram';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { WhenOpened } from '../../../ui/layout/when-opened.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { localPage } from '../../../ui/table/local-page.ts';
import { BotStateCard } from './bot-state-card.tsx';
import { commandColumns } from './command-columns.tsx';
import { CommandMenu } from './command-menu.tsx';
import { botStateQuery, commandsQuery, useReloadCommands } from './queries.ts';

const CommandEditor = lazy(() =>
  import('./command-editor.tsx').then((module) => ({ default: module.CommandEditor })),
);

/** The site's bot: how it stands with Telegram, and commands of its own. `?edit=` changes one, `?edit=new` adds one. */
export function TelegramPage() {
  const { t } = useTranslation('telegram');
  const [edited, setEdited] = useSearchParam('edit');
  const list = useListState([]);
  const state = useQuery(botStateQuery);
  const { data, isFetching, error, refetch } = useQuery(commandsQuery);
  const wanted = list.keyword.toLowerCase().replace(/^\//, '');
  const found = data?.filter(({ command, description }) =>
    `${command} ${description.toLowerCase()}`.includes(wanted),
  );
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
        rows={found && localPage(found, list, {})}
        total={found?.length}
        rowId={({ id }) => String(id)}
        fetching={isFetching}
        error={error}
        onRetry={() => void refetch()}
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
      <WhenOpened open={isEdited}>
        <CommandEditor
          open={isEdited}
          command={data?.find(({ id }) => String(id) === edited)}
          isNew={edited === 'new'}
          onClose={() => setEdited(undefined)}
        />
      </WhenOpened>
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
