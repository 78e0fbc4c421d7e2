import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { IconDeviceMobileCode, IconLifebuoy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import {
  lacksSecondFactor,
  secondFactorQuery,
  useBeginTotp,
  useCreateRecoveryCodes,
  useFinishTotp,
  useRemoveTotp,
} from './queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { CodeFields, useCodeEntry } from './second-factor-code-field.tsx';

/** Shows the authenticator app and the recovery codes. Passkeys have their own section. */
export function SecondFactorSection() {
  const { t } = useTranslation('second-factor');
  const format = useFormat();
  const { data: state, error, refetch } = useQuery(secondFactorQuery);
  const [codes, setCodes] = useState<readonly string[]>();
  if (state === undefined) return <PendingPanel error={error} refetch={refetch} height={96} />;
  const protectedAccount = state.totp || state.passkeys > 0;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 0.5 }}>
      {lacksSecondFactor(state) && (
        <Alert severity="warning" sx={{ mb: 1 }}>
          {t('neededFrom', { date: format.day(state.needed_from) })}
        </Alert>
      )}
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(protectedAccount ? 'introOn' : 'introOff')}
      </Typography>
      <RowList label={t('title')}>
        <TotpRow on={state.totp} onCodes={setCodes} />
        {(protectedAccount || state.recovery_codes_left > 0) && (
          <RecoveryCodesRow left={state.recovery_codes_left} onCodes={setCodes} />
        )}
      </RowList>
      {codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Box>
  );
}

const FEW = 3;

interface RecoveryCodesRowProps {
  left: number;
  onCodes: (codes: readonly string[]) => void;
}

function RecoveryCodesRow({ left, onCodes }: RecoveryCodesRowProps) {
  const { t } = useTranslation('second-factor');
  const few = left <= FEW;
  return (
    <ListRow
      icon={<IconLifebuoy size={22} stroke={1.5} />}
      title={t('recoveryCodes')}
      chip={<StatusChip tone={few ? 'warning' : 'neutral'}>{t('left', { count: left })}</StatusChip>}
      text={t(left > 0 && few ? 'fewLeft' : 'recoveryText')}
      actions={<NewCodesButton replaces={left > 0} onCodes={onCodes} />}
    />
  );
}

/** Creates recovery codes; asks first if existing codes would stop working. */
function NewCodesButton({ replaces, onCodes }: Pick<RecoveryCodesRowProps, 'onCodes'> & { replaces: boolean }) {
  const { t } = useTranslation('second-factor');
  const notifyError = useNotifyError();
  const { mutateAsync, isPending } = useCreateRecoveryCodes();
  const make = async () => onCodes((await mutateAsync(undefined)).recovery_codes);
  const looks = { size: 'small', variant: 'outlined', color: 'inherit' } as const;
  return replaces ? (
    <ConfirmButton
      {...looks}
      question={{ title: t('newCodesTitle'), text: t('newCodesText'), verb: t('newCodesVerb') }}
      onConfirm={make}
    >
      {t('newCodes')}
    </ConfirmButton>
  ) : (
    <Button {...looks} loading={isPending} onClick={() => void make().catch(notifyError)}>
      {t('newCodesVerb')}
    </Button>
  );
}

interface TotpRowProps {
  on: boolean;
  onCodes: (codes: readonly string[]) => void;
}

function TotpRow({ on, onCodes }: TotpRowProps) {
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

const QrCode = lazy(() => import('../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })));
const QR_SIZE = 184;

interface TotpSecret {
  secret: string;
  /** Content of the QR code: `otpauth://totp/…`. */
  uri: string;
}

interface TotpDialogProps {
  secret: TotpSecret;
  onClose: () => void;
  /** Callback that receives the recovery codes after the app was set up. */
  onCodes: (codes: readonly string[]) => void;
}

/** Shows the secret for an authenticator app and verifies the app's first code. */
function TotpDialog({ secret: { secret, uri }, onClose, onCodes }: TotpDialogProps) {
  const { t } = useTranslation(['second-factor', 'common']);
  const titleId = useId();
  const { mutateAsync } = useFinishTotp();
  const entry = useCodeEntry(async (code) => onCodes((await mutateAsync(code)).recovery_codes));
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form noValidate onSubmit={entry.submit}>
        <DialogTitle id={titleId}>{t('setUpTitle')}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <Typography>{t('scan')}</Typography>
          <Box sx={{ height: QR_SIZE, justifySelf: 'center' }}>
            <Suspense fallback={null}>
              <QrCode text={uri} label={t('qrCode')} size={QR_SIZE} />
            </Suspense>
          </Box>
          <Box>
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {t('orType')}
            </Typography>
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, overflowWrap: 'anywhere' }}>
              <Mono>{inFours(secret)}</Mono>
              <CopyButton text={secret} what={t('secret')} />
            </Box>
          </Box>
          <CodeFields entry={entry} recoverable={false} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} color="inherit">
            {t('common:cancel')}
          </Button>
          <Button type="submit" variant="contained" disabled={!entry.ready} loading={entry.busy}>
            {t('confirm')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Groups the secret's characters by four for typing; apps ignore the spaces. */
function inFours(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
