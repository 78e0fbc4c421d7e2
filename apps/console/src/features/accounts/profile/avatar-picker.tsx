import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { Self } from '@switchyard/contract/accounts/profile';
import { type ChangeEvent, useCallback, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { UserAvatar } from '../../../ui/display/user-avatar.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useSetAvatar } from './queries.ts';

/** Shows the user's avatar and lets the user replace or remove it. */
export function AvatarPicker({ self }: { self: Self }) {
  const { t } = useTranslation('profile');
  const notifyError = useNotifyError();
  const { mutate, isPending } = useSetAvatar();
  const input = useRef<HTMLInputElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();

  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    // An unchanged value would fire no event when the same file is chosen again.
    target.value = '';
    if (file === undefined) return;
    try {
      setPicture(await createImageBitmap(file));
    } catch {
      notify('warning', t('picture.unreadable'));
    }
  };
  const name = self.display_name === '' ? self.username : self.display_name;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 2 }}>
      <Box sx={{ mr: 1 }}>
        <UserAvatar name={name} url={self.avatar_url} size={64} isOwn={self.impersonation === null} />
      </Box>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={t('picture.choose')}
        onChange={(event) => void choose(event)}
      />
      <Button variant="outlined" color="inherit" onClick={() => input.current?.click()}>
        {t('picture.choose')}
      </Button>
      {self.avatar_url !== '' && (
        <Button color="inherit" loading={isPending} onClick={() => mutate('', { onError: notifyError })}>
          {t('picture.remove')}
        </Button>
      )}
      {picture !== undefined && <AvatarDialog picture={picture} onClose={() => setPicture(undefined)} />}
    </Box>
  );
}

/** Shows a preview of the cropped avatar. */
function AvatarDialog({ picture, onClose }: { picture: ImageBitmap; onClose: () => void }) {
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
      await mutateAsync(toPng(canvas.current));
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
          width={AVATAR_SIZE}
          height={AVATAR_SIZE}
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

/** Side in pixels, at least twice the size at which the console shows an avatar. */
const AVATAR_SIZE = 128;

/** Returns the largest centered square of an image. */
export function centerSquare({ width, height }: { width: number; height: number }) {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** Draws the center of a picture on white, so that transparent parts look the same in both colour schemes. */
function drawSquare(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const { x, y, side } = centerSquare(picture);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, AVATAR_SIZE, AVATAR_SIZE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, AVATAR_SIZE, AVATAR_SIZE);
}

/** Returns the canvas as a PNG in base64. */
function toPng(canvas: HTMLCanvasElement): string {
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
