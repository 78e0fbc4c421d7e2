import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Self } from '@switchyard/contract/accounts/profile';
import { type ChangeEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { UserAvatar } from '../../../ui/display/user-avatar.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { AvatarDialog } from './avatar-dialog.tsx';
import { useSetAvatar } from './queries.ts';

/** The own picture: shown, replaced, taken away. */
export function AvatarPicker({ self }: { self: Self }) {
  const { t } = useTranslation('profile');
  const notifyError = useNotifyError();
  const { mutate, isPending } = useSetAvatar();
  const input = useRef<HTMLInputElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();

  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    // So that the same file can be chosen again.
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
        <UserAvatar name={name} url={self.avatar_url} size={64} />
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
