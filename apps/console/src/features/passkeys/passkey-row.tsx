import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import type { Passkey } from '@switchyard/contract/passkeys';
import { IconFingerprint, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notices.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { PasskeyName } from './passkey-name.tsx';
import { useRemovePasskey, useRenamePasskey } from './queries.ts';

export function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation('passkeys');
  const notifyError = useNotifyError();
  const rename = useRenamePasskey();
  const remove = useRemovePasskey();
  const [naming, setNaming] = useState(false);
  const { id, alias: name } = passkey;
  const finish = (alias: string | undefined) => {
    setNaming(false);
    if (alias !== undefined) rename.mutate({ id, alias }, { onError: notifyError });
  };
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.5,
        py: 1.25,
        '&:not(:last-of-type)': { borderBottom: 1, borderColor: 'divider' },
      }}
    >
      <Box sx={{ color: 'text.secondary', lineHeight: 0 }}>
        <IconFingerprint size={22} stroke={1.5} />
      </Box>
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        {naming ? (
          <PasskeyName name={name} label={t('nameOf', { name })} onDone={finish} />
        ) : (
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
            <Typography sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>
              {rename.isPending ? rename.variables.alias : name}
            </Typography>
            <IconButton size="small" aria-label={t('rename', { name })} onClick={() => setNaming(true)}>
              <IconPencil size={16} />
            </IconButton>
          </Box>
        )}
        <PasskeyTimes passkey={passkey} />
      </Box>
      <ConfirmButton
        size="small"
        variant="outlined"
        aria-label={t('removeOf', { name })}
        question={{ title: t('removeTitle', { name }), text: t('removeText'), verb: t('remove') }}
        onConfirm={async () => {
          await remove.mutateAsync(id);
          notify('success', t('removed', { name }));
        }}
      >
        {t('remove')}
      </ConfirmButton>
    </Box>
  );
}

function PasskeyTimes({ passkey: { created_time, last_used_time } }: { passkey: Passkey }) {
  const { t } = useTranslation('passkeys');
  return (
    <Typography variant="body2" sx={{ color: 'text.secondary' }}>
      {t('added')} <Moment seconds={created_time} />
      {' · '}
      {last_used_time === 0 ? (
        t('neverUsed')
      ) : (
        <>
          {t('lastUsed')} <Moment seconds={last_used_time} />
        </>
      )}
    </Typography>
  );
}
