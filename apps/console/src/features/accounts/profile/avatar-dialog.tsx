import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useCallback, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { drawSquare, PICTURE_SIZE, pngOf } from './picture.ts';
import { useSetAvatar } from './queries.ts';

/** Shows what the picture will be: its middle, square and small. */
export function AvatarDialog({ picture, onClose }: { picture: ImageBitmap; onClose: () => void }) {
  const { t } = useTranslation(['profile', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const { mutateAsync, isPending } = useSetAvatar();
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = useCallback(
    (element: HTMLCanvasElement | null) => {
      canvas.current = element;
      if (element !== null) drawSquare(element, picture);
    },
    [picture],
  );

  const save = async () => {
    if (canvas.current === null) return;
    try {
      await mutateAsync(pngOf(canvas.current));
      notify('success', t('common:saved'));
      onClose();
    } catch (error) {
      notifyError(error);
    }
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('picture.title')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', justifyItems: 'center' }}>
        <canvas
          ref={draw}
          width={PICTURE_SIZE}
          height={PICTURE_SIZE}
          role="img"
          aria-label={t('picture.preview')}
          style={{ borderRadius: '50%' }}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button variant="contained" loading={isPending} onClick={() => void save()}>
          {t('common:save')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
