import type { GroupWithUsage, UserGroup } from '@switchyard/contract/accounts/user-groups';
import type { TFunction } from 'i18next';
import { paths } from '../../../paths.ts';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { monoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';

const column = columnsFor<GroupWithUsage>();

type Formatter = (value: number) => string;

function promotionRange({ promotion, min, max }: UserGroup, t: TFunction<'user-groups'>, usd: Formatter) {
  if (!promotion) return UNKNOWN;
  return max === 0 ? t('rangeOpen', { min: usd(min) }) : t('range', { min: usd(min), max: usd(max) });
}

export function userGroupColumns(t: TFunction<'user-groups'>, number: Formatter, usd: Formatter) {
  return [
    column.field('name', t('name'), {
      size: 170,
      sortable: true,
      card: 'title',
      cell: (_, group) => <Name id={group.id}>{group.name}</Name>,
    }),
    column.field('symbol', t('symbol'), { size: 130, sortable: true, cell: monoCell }),
    column.field('enable', t('status'), {
      size: 120,
      sortable: true,
      card: 'state',
      cell: (enable) => (
        <StatusChip tone={enable ? 'success' : 'neutral'}>{t(enable ? 'enabled' : 'disabled')}</StatusChip>
      ),
    }),
    column.field('ratio', t('ratio'), {
      size: 110,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (ratio) => `×${number(ratio)}`,
    }),
    column.field('api_rate', t('rate'), {
      size: 160,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (apiRate) => (apiRate === 0 ? t('unlimited') : number(apiRate)),
    }),
    column.field('order', t('order'), { size: 190, hidden: true, cell: (order) => t(`orderName.${order}`) }),
    column.field('promotion', t('promotion'), {
      size: 190,
      hidden: true,
      cell: (_, group) => promotionRange(group, t, usd),
    }),
    column.field('members', t('members'), {
      size: 90,
      align: 'end',
      card: 'figure',
      cell: (_, group) => <Count count={group.members} to={paths.users} group={group.symbol} number={number} />,
    }),
    column.field('channels', t('channels'), {
      size: 90,
      align: 'end',
      cell: (_, group) => <Count count={group.channels} to={paths.channels} group={group.symbol} number={number} />,
    }),
    column.field('public', t('choice'), { size: 200, cell: (isPublic) => t(isPublic ? 'anyone' : 'assigned') }),
  ];
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
