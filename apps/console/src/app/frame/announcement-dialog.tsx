import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Markdown } from '../../ui/markdown/markdown.tsx';

export function AnnouncementDialog({ notice, onClose }: { notice: string; onClose: () => void }) {
  const { t } = useTranslation('shell');
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('announcement.title')}</DialogTitle>
      <DialogContent>{notice === '' ? t('announcement.none') : <Markdown text={notice} pictures />}</DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('announcement.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
