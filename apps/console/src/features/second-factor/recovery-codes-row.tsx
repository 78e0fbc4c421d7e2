import { IconLifebuoy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { FactorRow } from './factor-row.tsx';
import { useMakeRecoveryCodes } from './queries.ts';

const FEW = 3;

interface RecoveryCodesRowProps {
  left: number;
  onCodes: (codes: readonly string[]) => void;
}

/** How many recovery codes are left, and a way to new ones. */
export function RecoveryCodesRow({ left, onCodes }: RecoveryCodesRowProps) {
  const { t } = useTranslation('second-factor');
  const { mutateAsync } = useMakeRecoveryCodes();
  return (
    <FactorRow
      icon={<IconLifebuoy size={22} stroke={1.5} />}
      title={t('recoveryCodes')}
      chip={<StatusChip tone={left <= FEW ? 'warning' : 'neutral'}>{t('left', { count: left })}</StatusChip>}
      text={t(left <= FEW ? 'fewLeft' : 'recoveryText')}
      actions={
        <ConfirmButton
          size="small"
          variant="outlined"
          color="inherit"
          question={{ title: t('newCodesTitle'), text: t('newCodesText'), verb: t('newCodesVerb') }}
          onConfirm={async () => onCodes((await mutateAsync(undefined)).recovery_codes)}
        >
          {t('newCodes')}
        </ConfirmButton>
      }
    />
  );
}
