import IconButton from '@mui/material/IconButton';
import type { Passkey } from '@switchyard/contract/accounts/passkeys';
import { IconFingerprint, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { ListRow } from '../../../ui/layout/list-row.tsx';
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
    <ListRow
      icon={<IconFingerprint size={22} stroke={1.5} />}
      title={
        naming ? (
          <PasskeyName name={name} label={t('nameOf', { name })} onDone={finish} />
        ) : (
          <>
            {rename.isPending ? rename.variables.alias : name}
            <IconButton
              size="small"
              aria-label={t('rename', { name })}
              onClick={() => setNaming(true)}
              sx={{ ml: 0.5 }}
            >
              <IconPencil size={16} />
            </IconButton>
          </>
        )
      }
      text={<PasskeyTimes passkey={passkey} />}
      actions={
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
      }
    />
  );
}

function PasskeyTimes({ passkey: { created_time, last_used_time } }: { passkey: Passkey }) {
  const { t } = useTranslation('passkeys');
  return (
    <>
      {t('added')} <Moment seconds={created_time} />
      {' · '}
      {t(last_used_time === 0 ? 'neverUsed' : 'lastUsed')}{' '}
      {last_used_time !== 0 && <Moment seconds={last_used_time} />}
    </>
  );
}
