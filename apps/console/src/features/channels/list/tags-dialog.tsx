import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Skeleton from '@mui/material/Skeleton';
import type { TagSummary } from '@switchyard/contract/channels/bulk-edits-and-import';
import { IconDotsVertical } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../../../ui/actions/menu-button.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { tagsQuery, useBulkEdit } from '../bulk-edit/bulk-calls-and-undo.ts';
import type { ChannelTarget } from '../bulk-edit/bulk-target.tsx';
import type { SettableStatus } from '../queries.ts';

interface TagsDialogProps {
  onShow: (tag: string) => void;
  onEdit: (target: ChannelTarget) => void;
  onClose: () => void;
}

/** Lists every tag, with actions on all of its channels. */
export function TagsDialog({ onShow, onEdit, onClose }: TagsDialogProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const { data, error, refetch } = useQuery(tagsQuery);
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('edits.tags.title')}</DialogTitle>
      <DialogContent sx={{ p: 0 }}>
        {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton variant="rounded" height={160} sx={{ mx: 3 }} />}
        {data?.length === 0 && <Box sx={{ px: 3, py: 2 }}>{t('edits.tags.none')}</Box>}
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
          {data?.map((summary) => (
            <TagRow key={summary.tag} summary={summary} onShow={onShow} onEdit={onEdit} onClose={onClose} />
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t('common:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function TagRow({ summary, onShow, onEdit, onClose }: TagsDialogProps & { summary: TagSummary }) {
  const { t } = useTranslation(['channels', 'common']);
  const edit = useBulkEdit();
  const notifyError = useNotifyError();
  const { tag, channels, enabled, auto_disabled } = summary;
  const setStatus = (status: SettableStatus) => {
    // The toast with "Undo" is outside the dialog, where an open dialog blocks clicks.
    onClose();
    void edit({ where: { filter: { tag } }, change: { status } }).catch(notifyError);
  };
  return (
    <Box
      component="li"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 3, py: 0.5, borderBottom: 1, borderColor: 'divider' }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <Name>{tag}</Name>
        <Box sx={{ color: 'text.secondary' }}>
          {t('edits.tags.counts', { count: channels, enabled })}
          {auto_disabled > 0 && ` · ${t('edits.tags.out', { count: auto_disabled })}`}
        </Box>
      </Box>
      <Button size="small" color="inherit" onClick={() => onShow(tag)}>
        {t('edits.tags.show')}
      </Button>
      <MenuButton
        label={t('edits.tags.actions', { tag })}
        icon={<IconDotsVertical size={18} />}
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit({ selected: [], filter: { tag }, total: channels }) },
          { label: t('common:enable'), onSelect: () => setStatus('enabled') },
          { label: t('common:disable'), onSelect: () => setStatus('disabled') },
        ]}
      />
    </Box>
  );
}
