import type { GroupWithUsage, UserGroup } from '@switchyard/contract/accounts/user-groups';
import type { TFunction } from 'i18next';
import { paths } from '../../../paths.ts';
import { StatusChip } from '../../../ui/display/chips.tsx';
import { Name } from '../../../ui/display/inline-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';

const helper = columnsFor<GroupWithUsage>();

type Formatter = (value: number) => string;

function promotionRange({ promotion, min, max }: UserGroup, t: TFunction<'user-groups'>, usd: Formatter) {
  if (!promotion) return UNKNOWN;
  return max === 0 ? t('rangeOpen', { min: usd(min) }) : t('range', { min: usd(min), max: usd(max) });
}

export function userGroupColumns(t: TFunction<'user-groups'>, number: Formatter, usd: Formatter) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 170,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('symbol', {
      header: t('symbol'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('symbol') },
    }),
    helper.accessor('enable', {
      header: t('status'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => (
        <StatusChip tone={getValue() ? 'success' : 'neutral'}>{t(getValue() ? 'enabled' : 'disabled')}</StatusChip>
      ),
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor('ratio', {
      header: t('ratio'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => `×${number(getValue())}`,
      meta: { label: t('ratio'), align: 'end', card: 'figure' },
    }),
    helper.accessor('api_rate', {
      header: t('rate'),
      size: 160,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === 0 ? t('unlimited') : number(getValue())),
      meta: { label: t('rate'), align: 'end', card: 'figure' },
    }),
    helper.accessor('order', {
      header: t('order'),
      size: 190,
      cell: ({ getValue }) => t(`orderName.${getValue()}`),
      meta: { label: t('order'), hidden: true },
    }),
    helper.accessor('promotion', {
      header: t('promotion'),
      size: 190,
      cell: ({ row: { original } }) => promotionRange(original, t, usd),
      meta: { label: t('promotion'), hidden: true },
    }),
    helper.accessor('members', {
      header: t('members'),
      size: 90,
      cell: ({ row: { original } }) => (
        <Count count={original.members} to={paths.users} group={original.symbol} number={number} />
      ),
      meta: { label: t('members'), align: 'end', card: 'figure' },
    }),
    helper.accessor('channels', {
      header: t('channels'),
      size: 90,
      cell: ({ row: { original } }) => (
        <Count count={original.channels} to={paths.channels} group={original.symbol} number={number} />
      ),
      meta: { label: t('channels'), align: 'end' },
    }),
    helper.accessor('public', {
      header: t('choice'),
      size: 200,
      cell: ({ getValue }) => t(getValue() ? 'anyone' : 'assigned'),
      meta: { label: t('choice') },
    }),
  ]);
}

interface CountProps {
  count: number;
  /** Path of the list that the link filters by the group. */
  to: string;
  group: string;
  number: Formatter;
}

function Count({ count, to, group, number }: CountProps) {
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link to={to} search={{ group }} color="inherit">
        {number(count)}
      </Link>
    </span>
  );
}
