import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import { TITLE_MAX } from '@switchyard/contract/playground/conversation';
import type { ListedConversation } from '@switchyard/contract/playground/playground';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { useDebounced } from '../../../ui/browser/use-debounced.ts';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { api, conversationsKey, conversationsQuery } from '../page/queries.ts';
import { nextTitle } from './conversation.ts';
import type { StoredConversationState } from './use-stored-conversation.ts';

const TYPING_MS = 250;

type Asked = { what: 'rename' | 'delete'; about: ListedConversation };

/** Lists the user's conversations, which can be opened, renamed, copied and deleted. */
export function ConversationsDrawer({ kept, onClose }: { kept: StoredConversationState; onClose: () => void }) {
  const { t } = useTranslation(['playground', 'common']);
  const client = useQueryClient();
  const notifyError = useNotifyError();
  const [keyword, setKeyword] = useState('');
  const [asked, setAsked] = useState<Asked>();
  const query = useInfiniteQuery(conversationsQuery(useDebounced(keyword.trim(), TYPING_MS)));
  const rows = query.data?.pages.flatMap(({ data }) => data);
  const total = query.data?.pages[0]?.total_count ?? 0;
  const listAgain = () => client.invalidateQueries({ queryKey: conversationsKey });

  /** Refreshes the list and, if the deleted conversation is on the screen, clears it. */
  const forget = async (isShown: boolean) => {
    if (isShown) kept.begin();
    await listAgain();
  };
  const open = async ({ id }: ListedConversation, copy: boolean) => {
    try {
      const { title, version, content } = await api.readConversation({ params: { id } });
      if (copy) kept.show(content, { title: nextTitle(title), version: 0, off: false });
      else kept.show(content, { id, title, version, off: false });
      onClose();
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <DetailDrawer open onClose={onClose} title={t('conversations')} width={420}>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
        <OutlinedInput
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
          placeholder={t('searchTitles')}
          inputProps={{ 'aria-label': t('searchTitles'), maxLength: 120 }}
        />
        {rows === undefined ? (
          <PendingPanel error={query.error} refetch={query.refetch} height={240} />
        ) : (
          <>
            {rows.length === 0 && <EmptyState>{t(keyword.trim() === '' ? 'noConversations' : 'noneFound')}</EmptyState>}
            <RowList label={t('conversations')}>
              {rows.map((row) => (
                <ListRow
                  key={row.id}
                  title={
                    <ButtonBase
                      onClick={() => void open(row, false)}
                      aria-current={row.id === kept.place.id}
                      sx={{ textAlign: 'start', overflowWrap: 'anywhere', borderRadius: 0.5 }}
                    >
                      {row.title}
                    </ButtonBase>
                  }
                  text={<Moment seconds={row.updated_time} />}
                  actions={
                    <MoreMenu
                      entries={[
                        { label: t('rename'), onSelect: () => setAsked({ what: 'rename', about: row }) },
                        { label: t('duplicate'), onSelect: () => void open(row, true) },
                        {
                          label: t('common:delete'),
                          danger: true,
                          onSelect: () => setAsked({ what: 'delete', about: row }),
                        },
                      ]}
                    />
                  }
                />
              ))}
            </RowList>
            {query.hasNextPage && (
              <Button color="inherit" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t('showMore')}
              </Button>
            )}
            {keyword === '' && total > 0 && (
              <ConfirmButton
                size="small"
                variant="outlined"
                sx={{ justifySelf: 'start' }}
                question={{
                  title: t('deleteAllTitle', { count: total }),
                  text: t('deleteText'),
                  verb: t('common:delete'),
                  typed: String(total),
                }}
                onConfirm={async () => {
                  const count = await api.removeConversations();
                  notify('success', t('deleted', { count }));
                  await forget(kept.place.id !== undefined);
                }}
              >
                {t('deleteAll')}
              </ConfirmButton>
            )}
          </>
        )}
      </Box>
      {asked?.what === 'rename' && (
        <TitleDialog
          title={asked.about.title}
          onClose={() => setAsked(undefined)}
          onSave={async (title) => {
            const { id } = asked.about;
            const renamed = await api.renameConversation({ params: { id }, body: { title } });
            if (id === kept.place.id) kept.setTitle(renamed.title);
            await listAgain();
          }}
        />
      )}
      <ConfirmDialog
        open={asked?.what === 'delete'}
        question={{
          title: t('deleteTitle', { title: asked?.about.title ?? '' }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          if (asked === undefined) return;
          const { id } = asked.about;
          await api.removeConversation({ params: { id } });
          notify('success', t('deleted', { count: 1 }));
          await forget(id === kept.place.id);
        }}
      />
    </DetailDrawer>
  );
}

interface TitleDialogProps {
  title: string;
  onSave: (title: string) => Promise<void>;
  onClose: () => void;
}

function TitleDialog({ title, onSave, onClose }: TitleDialogProps) {
  const { t } = useTranslation(['playground', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const [typed, setTyped] = useState(title);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await onSave(typed.trim());
      onClose();
    } catch (error) {
      notifyError(error);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '' && !busy) void save();
        }}
      >
        <DialogTitle id={titleId}>{t('rename')}</DialogTitle>
        <DialogContent>
          <OutlinedInput
            autoFocus
            fullWidth
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            inputProps={{ 'aria-label': t('conversationTitle'), maxLength: TITLE_MAX }}
          />
        </DialogContent>
        <DialogActions>
          <Button color="inherit" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={typed.trim() === ''} loading={busy}>
            {t('common:save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
