import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';

const roleTones: Record<Role, Tone> = { user: 'neutral', staff: 'info', admin: 'primary', root: 'primary' };

export function RoleChip({ role }: { role: Role }) {
  const { t } = useTranslation('shell');
  return (
    <StatusChip tone={roleTones[role]} dot={false}>
      {t(`role.${role}`)}
    </StatusChip>
  );
}

/** Shows a user's status. `alarmed` means that a ledger discrepancy locks the account. */
export function UserStatusChip({ status, alarmed }: { status: UserStatus; alarmed: boolean }) {
  const { t } = useTranslation('users');
  if (alarmed && status === 'enabled')
    return (
      <StatusChip tone="error" hint={t('alarmText')}>
        {t('stopped')}
      </StatusChip>
    );
  return <StatusChip tone={status === 'enabled' ? 'success' : 'neutral'}>{t(`statusName.${status}`)}</StatusChip>;
}
