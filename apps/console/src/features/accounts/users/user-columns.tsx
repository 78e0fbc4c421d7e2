import Box from '@mui/material/Box';
import type { User } from '@switchyard/contract/accounts/users';
import type { TFunction } from 'i18next';
import { Moment, Money, Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { type GroupOption, groupName } from '../user-groups/queries.ts';
import { RoleChip, UserStatusChip } from './user-chips.tsx';

const helper = columnsFor<User>();

export function userColumns(t: TFunction<'users'>, number: (value: number) => string, groups: readonly GroupOption[]) {
  return helper.columns([
    helper.accessor('username', {
      header: t('name'),
      size: 220,
      enableSorting: true,
      cell: ({ row }) => <Names user={row.original} />,
      meta: { label: t('name'), card: 'title' },
    }),
    ...stateColumns(t, groups),
    ...moneyColumns(t, number),
    helper.accessor('last_login_time', {
      header: t('lastLogin'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('never') : <Moment seconds={getValue()} />),
      meta: { label: t('lastLogin') },
    }),
    helper.accessor('last_login_ip', {
      header: t('lastAddress'),
      size: 140,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: t('lastAddress'), hidden: true },
    }),
    helper.accessor('email', {
      header: t('email'),
      size: 200,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : getValue()),
      meta: { label: t('email'), hidden: true },
    }),
    helper.accessor('created_time', {
      header: t('created'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
  ]);
}

function stateColumns(t: TFunction<'users'>, groups: readonly GroupOption[]) {
  return [
    helper.accessor('id', {
      header: t('id'),
      size: 72,
      enableSorting: true,
      meta: { label: t('id'), hidden: true },
    }),
    helper.accessor('role', {
      header: t('role'),
      size: 150,
      enableSorting: true,
      cell: ({ getValue }) => <RoleChip role={getValue()} />,
      meta: { label: t('role') },
    }),
    helper.accessor('status', {
      header: t('status'),
      size: 110,
      enableSorting: true,
      cell: ({ row: { original: user } }) => (
        <UserStatusChip status={user.status} alarmed={user.ledger_alarms.length > 0} />
      ),
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('group', {
      header: t('group'),
      size: 130,
      cell: ({ getValue }) => groupName(groups, getValue()),
      meta: { label: t('group') },
    }),
  ];
}

function moneyColumns(t: TFunction<'users'>, number: (value: number) => string) {
  return [
    helper.accessor('quota', {
      header: t('balance'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <Balance points={getValue()} />,
      meta: { label: t('balance'), align: 'end', card: 'figure' },
    }),
    helper.accessor('used_quota', {
      header: t('used'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('used'), align: 'end', card: 'figure' },
    }),
    helper.accessor('request_count', {
      header: t('requests'),
      size: 100,
      enableSorting: true,
      cell: ({ getValue }) => number(getValue()),
      meta: { label: t('requests'), align: 'end' },
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
