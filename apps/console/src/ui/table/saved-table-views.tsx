import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { IconTrash } from '@tabler/icons-react';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useStoredPreference } from '../browser/stored-preference.ts';
import { Name } from '../display/formatted-values.tsx';
import { EmptyState } from '../feedback/empty-and-pending-panels.tsx';
import { notify } from '../feedback/toasts.ts';
import { NameForm } from '../form/name-form.tsx';
import { TextDialog } from '../overlays/reading-dialog.tsx';
import { PreferenceOwner } from './preferences.ts';
import type { ListInAddress } from './url-list-state.ts';

const VIEWS_MAX = 20;
const shape = z.array(z.object({ name: z.string(), search: z.record(z.string(), z.string()) }));
type View = z.output<typeof shape>[number];
const none: View[] = [];
const accepts = (value: unknown): value is View[] => shape.safeParse(value).success;

interface TableViewsProps {
  /** Name of the table. */
  name: string;
  list: ListInAddress;
  open: boolean;
  onClose: () => void;
}

/** Manages named views of a table's search, filters and order, stored in this browser like its columns. */
export function TableViews({ name: table, list, open, onClose }: TableViewsProps) {
  const { t } = useTranslation();
  const owner = useContext(PreferenceOwner);
  const [views, setViews] = useStoredPreference(`views:${owner}:${table}`, none, accepts);
  const isFull = views.length >= VIEWS_MAX;
  const save = (name: string) => {
    // A view with the same name is replaced.
    setViews([...views.filter((view) => view.name !== name), { name, search: { ...list.now } }]);
    return Promise.resolve();
  };
  const remove = (removed: View) => {
    setViews(views.filter((view) => view !== removed));
    notify('success', t('table.viewDeleted', { name: removed.name }), { undo: () => setViews(views) });
  };
  return (
    <TextDialog open={open} onClose={onClose} title={t('table.views')} maxWidth="xs">
      <NameForm
        label={isFull ? t('table.viewsFull', { count: VIEWS_MAX }) : t('table.viewName')}
        verb={t('save')}
        disabled={isFull}
        onSave={save}
      />
      {views.length === 0 && <EmptyState>{t('table.noViews')}</EmptyState>}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {views.map((view) => (
          <Box component="li" key={view.name} sx={{ display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 40 }}>
            <Button
              color="inherit"
              onClick={() => {
                onClose();
                list.show(view.search);
              }}
              sx={{ flexGrow: 1, justifyContent: 'flex-start', minWidth: 0, overflowWrap: 'anywhere' }}
            >
              <Name>{view.name}</Name>
            </Button>
            <IconButton aria-label={t('table.deleteView', { name: view.name })} onClick={() => remove(view)}>
              <IconTrash size={18} />
            </IconButton>
          </Box>
        ))}
      </Box>
    </TextDialog>
  );
}
