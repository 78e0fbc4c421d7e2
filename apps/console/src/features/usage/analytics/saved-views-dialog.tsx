import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { SAVED_VIEWS_MAX, type SavedView } from '@switchyard/contract/usage/analytics';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { textSearchParams, useSearchParams } from '../../../ui/filters/search-params.ts';
import { NameForm } from '../../../ui/form/name-form.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { useCreateView, useRemoveView, useRenameView, viewsQuery } from './queries.ts';

interface SavedViewsDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Lists the user's saved views, which can be opened, renamed and removed, and saves the current one. */
export function SavedViewsDialog({ open, onClose }: SavedViewsDialogProps) {
  const { t } = useTranslation('analytics');
  return (
    <TextDialog open={open} onClose={onClose} title={t('views')} maxWidth="xs">
      <Views onClose={onClose} />
    </TextDialog>
  );
}

function Views({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('analytics');
  const { data: views, error, refetch } = useQuery(viewsQuery);
  const [renamed, setRenamed] = useState<SavedView>();
  if (views === undefined) return <PendingPanel error={error} refetch={refetch} height={120} />;
  return (
    <>
      {renamed === undefined ? (
        <NewView isFull={views.length >= SAVED_VIEWS_MAX} />
      ) : (
        <Rename key={renamed.id} view={renamed} onDone={() => setRenamed(undefined)} />
      )}
      {views.length === 0 && <EmptyState>{t('noViews')}</EmptyState>}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {views.map((view) => (
          <ViewRow key={view.id} view={view} onOpen={onClose} onRename={() => setRenamed(view)} />
        ))}
      </Box>
    </>
  );
}

function NewView({ isFull }: { isFull: boolean }) {
  const { t } = useTranslation('analytics');
  const create = useCreateView();
  const search = textSearchParams.stringifySearch(useSearchParams()).replace(/^\?/, '');
  return (
    <NameForm
      label={isFull ? t('viewsFull', { count: SAVED_VIEWS_MAX }) : t('viewName')}
      verb={t('saveView')}
      disabled={isFull}
      onSave={(name) => create.mutateAsync({ name, search })}
    />
  );
}

function Rename({ view, onDone }: { view: SavedView; onDone: () => void }) {
  const { t } = useTranslation('analytics');
  const rename = useRenameView();
  return (
    <NameForm
      label={t('viewName')}
      verb={t('renameView')}
      start={view.name}
      onSave={async (name) => {
        await rename.mutateAsync({ id: view.id, name });
        onDone();
      }}
    />
  );
}

interface ViewRowProps {
  view: SavedView;
  onOpen: () => void;
  onRename: () => void;
}

function ViewRow({ view, onOpen, onRename }: ViewRowProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const navigate = useNavigate();
  const remove = useRemoveView();
  const [asked, setAsked] = useState(false);
  return (
    <Box component="li" sx={{ display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 40 }}>
      <Button
        color="inherit"
        onClick={() => {
          onOpen();
          void navigate({ to: paths.analytics, search: textSearchParams.parseSearch(view.search) });
        }}
        sx={{ flexGrow: 1, justifyContent: 'flex-start', minWidth: 0, overflowWrap: 'anywhere', textAlign: 'start' }}
      >
        <Name>{view.name}</Name>
      </Button>
      <IconButton aria-label={t('renameOf', { name: view.name })} onClick={onRename}>
        <IconPencil size={18} />
      </IconButton>
      <IconButton aria-label={t('deleteOf', { name: view.name })} onClick={() => setAsked(true)}>
        <IconTrash size={18} />
      </IconButton>
      <ConfirmDialog
        open={asked}
        question={{ title: t('deleteTitle', { name: view.name }), text: t('deleteText'), verb: t('common:delete') }}
        onConfirm={() => remove.mutateAsync(view.id)}
        onClose={() => setAsked(false)}
      />
    </Box>
  );
}
