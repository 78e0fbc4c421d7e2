import Button from '@mui/material/Button';
import { IconLifebuoy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { ListRow } from '../../../ui/layout/list-row.tsx';
import { useMakeRecoveryCodes } from './queries.ts';

const FEW = 3;

interface RecoveryCodesRowProps {
  left: number;
  onCodes: (codes: readonly string[]) => void;
}

/** Shows how many recovery codes are left, and a button that creates new ones. */
export function RecoveryCodesRow({ left, onCodes }: RecoveryCodesRowProps) {
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

/** Asks only where codes that somebody has would stop working. */
function NewCodesButton({
  replaces,
  onCodes,
}: Pick<RecoveryCodesRowProps, 'onCodes'> & { replaces: boolean }) {
  const { t } = useTranslation('second-factor');
  const notifyError = useNotifyError();
  const { mutateAsync, isPending } = useMakeRecoveryCodes();
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
