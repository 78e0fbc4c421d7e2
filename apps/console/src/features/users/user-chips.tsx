import type { Role, UserStatus } from '@switchyard/contract/codes';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../ui/status-chip.tsx';

const roleTones: Record<Role, Tone> = { user: 'neutral', staff: 'info', admin: 'primary', root: 'primary' };

export function RoleChip({ role }: { role: Role }) {
  const { t } = useTranslation('shell');
  return (
    <StatusChip tone={roleTones[role]} dot={false}>
      {t(`role.${role}`)}
    </StatusChip>
  );
}

export function UserStatusChip({ status }: { status: UserStatus }) {
  const { t } = useTranslation('users');
  return (
    <StatusChip tone={status === 'enabled' ? 'success' : 'neutral'}>{t(`statusName.${status}`)}</StatusChip>
  );
}
