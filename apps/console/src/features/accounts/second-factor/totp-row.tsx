import Button from '@mui/material/Button';
import { IconDeviceMobileCode } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { ListRow } from '../../../ui/layout/list-row.tsx';
import { useBeginTotp, useRemoveTotp } from './queries.ts';
import { TotpDialog, type TotpSecret } from './totp-dialog.tsx';

interface TotpRowProps {
  on: boolean;
  onCodes: (codes: readonly string[]) => void;
}

/** The authenticator app: set up, or taken away. */
export function TotpRow({ on, onCodes }: TotpRowProps) {
  const { t } = useTranslation('second-factor');
  const notifyError = useNotifyError();
  const begin = useBeginTotp();
  const remove = useRemoveTotp();
  const [secret, setSecret] = useState<TotpSecret>();
  return (
    <ListRow
      icon={<IconDeviceMobileCode size={22} stroke={1.5} />}
      title={t('app')}
      chip={<StatusChip tone={on ? 'success' : 'neutral'}>{t(on ? 'on' : 'off')}</StatusChip>}
      text={t('appText')}
      actions={
        <>
          {on ? (
            <ConfirmButton
              size="small"
              variant="outlined"
              question={{ title: t('removeTitle'), text: t('removeText'), verb: t('remove') }}
              onConfirm={async () => {
                await remove.mutateAsync(undefined);
                notify('success', t('removed'));
              }}
            >
              {t('remove')}
            </ConfirmButton>
          ) : (
            <Button
              size="small"
              variant="outlined"
              color="inherit"
              loading={begin.isPending}
              onClick={() => begin.mutate(undefined, { onSuccess: setSecret, onError: notifyError })}
            >
              {t('setUp')}
            </Button>
          )}
          {secret !== undefined && (
            <TotpDialog
              secret={secret}
              onClose={() => setSecret(undefined)}
              onCodes={(codes) => {
                setSecret(undefined);
                onCodes(codes);
              }}
            />
          )}
        </>
      }
    />
  );
}
