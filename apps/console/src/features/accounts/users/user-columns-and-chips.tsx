import Box from '@mui/material/Box';
import type { User } from '@switchyard/contract/accounts/users';
import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Moment, Money, Name } from '../../../ui/display/formatted-values.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { momentCell, moneyCell, optionalMonoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { type GroupOption, groupName } from '../user-groups/queries.ts';

const column = columnsFor<User>();

export function userColumns(t: TFunction<'users'>, number: (value: number) => string, groups: readonly GroupOption[]) {
  return [
    column.field('username', t('name'), {
      size: 220,
      sortable: true,
      card: 'title',
      cell: (_, user) => <Names user={user} />,
    }),
    ...stateColumns(t, groups),
    ...moneyColumns(t, number),
    column.field('last_login_time', t('lastLogin'), {
      size: 130,
      sortable: true,
      cell: (lastLoginTime) => (lastLoginTime === 0 ? t('never') : <Moment seconds={lastLoginTime} />),
    }),
    column.field('last_login_ip', t('lastAddress'), {
      size: 140,
      sortable: true,
      hidden: true,
      cell: optionalMonoCell,
    }),
    column.field('email', t('email'), { size: 200, hidden: true, cell: (email) => (email === '' ? UNKNOWN : email) }),
    column.field('created_time', t('created'), { size: 130, sortable: true, hidden: true, cell: momentCell }),
  ];
}

function stateColumns(t: TFunction<'users'>, groups: readonly GroupOption[]) {
  return [
    column.field('id', t('id'), { size: 72, sortable: true, hidden: true }),
    column.field('role', t('role'), { size: 150, sortable: true, cell: (role) => <RoleChip role={role} /> }),
    column.field('status', t('status'), {
      size: 110,
      sortable: true,
      card: 'state',
      cell: (_, user) => <UserStatusChip status={user.status} alarmed={user.ledger_alarms.length > 0} />,
    }),
    column.field('group', t('group'), { size: 130, cell: (group) => groupName(groups, group) }),
  ];
}

function moneyColumns(t: TFunction<'users'>, number: (value: number) => string) {
  return [
    column.field('quota', t('balance'), {
      size: 120,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (quota) => <Balance points={quota} />,
    }),
    column.field('used_quota', t('used'), { size: 110, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
    column.field('request_count', t('requests'), {
      size: 100,
      sortable: true,
      align: 'end',
      cell: (requestCount) => number(requestCount),
    }),
  ];
}

/** Shows a balance; a negative one comes from a charge that exceeded it. */
function Balance({ points }: { points: number }) {
  return (
    <Box component="span" sx={points < 0 ? { color: 'error.main' } : {}}>
      <Money points={points} />
    </Box>
  );
}

function Names({ user: { id, username, display_name } }: { user: User }) {
  return (
    <>
      <Name id={id}>{username}</Name>
      {display_name !== '' && display_name !== username && (
        <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 400 }}>
          <Name>{display_name}</Name>
        </Box>
      )}
    </>
  );
}

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
