import Button from '@mui/material/Button';
import type { User } from '@switchyard/contract/accounts/users';
import { userId } from '@switchyard/contract/ids';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/file-buttons.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../session/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { type UserFilter, userExportUrl, userListQuery } from './queries.ts';
import { UserBulkActions } from './user-bulk-actions.tsx';
import { userColumns } from './user-columns-and-chips.tsx';
import { UserDrawer } from './user-drawer-and-key-ratios.tsx';
import { UserEditor } from './user-editor.tsx';
import { UserMenu } from './user-menu-and-actions.tsx';
import { roles, userStatuses } from './user-roles-and-edit-rights.ts';

/** Lists the users. `?open=` shows one, `?edit=` changes one, `?edit=new` creates one. */
export function UsersPage() {
  const { t } = useTranslation('users');
  const [opened, setOpened] = useSearchParam('open');
  const [edited, setEdited] = useSearchParam('edit');
  const list = useListState(filterNames, '-id');
  const edit = useCallback((user: User) => setEdited(String(user.id)), [setEdited]);
  const mayWrite = useHasAccess('users.write');
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <ExportLink href={userExportUrl(userFilter(list.filters, list.keyword))} />
            {mayWrite && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
          </>
        }
      />
      <UsersTable
        list={list}
        onOpen={(user) => setOpened(String(user.id))}
        onEdit={edit}
        empty={
          <Button variant="contained" onClick={create}>
            {t('new')}
          </Button>
        }
      />
      <UserDrawer
        id={userId.safeParse(opened).data}
        onClose={() => setOpened(undefined)}
        onEdit={(id) => setEdited(String(id))}
      />
      <UserEditor id={edited === 'new' ? 'new' : userId.safeParse(edited).data} onClose={() => setEdited(undefined)} />
    </>
  );
}

interface UsersTableProps {
  list: ListState<FilterName>;
  onOpen: (user: User) => void;
  onEdit: (user: User) => void;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

const renderBulkActions = (users: User[], done: () => void) => <UserBulkActions users={users} onDone={done} />;

function UsersTable({ list, onOpen, onEdit, empty }: UsersTableProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const groups = useGroupOptions();
  const mayWrite = useHasAccess('users.write');
  const mayBalance = useHasAccess('balances.write');
  const { page, size, order, keyword, filters } = list;
  const filter = () => userFilter(filters, keyword);
  const listed = useQuery(
    userListQuery({ page, size, order, keyword, filters }, () => ({ ...filter(), page, size, order })),
  );
  const columns = useMemo(() => userColumns(t, format.number, groups), [t, format, groups]);
  const renderMenu = useCallback((user: User) => <UserMenu user={user} onEdit={onEdit} />, [onEdit]);
  return (
    <DataTable
      name="users"
      label={t('title')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(user) => String(user.id)}
      onOpen={onOpen}
      renderActions={renderMenu}
      {...(mayWrite || mayBalance ? { renderBulkActions } : {})}
      filterBar={<UserFilters list={list} />}
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

const texts = ['balance_min', 'balance_max'] as const;

function UserFilters({ list }: { list: ListState<FilterName> }) {
  const { t } = useTranslation(['users', 'shell']);
  const groups = useGroupOptions();
  return (
    <FilterBar list={list} placeholder={t('search')}>
      <FilterChips
        list={list}
        chips={[
          { name: 'role', label: t('role'), options: toOptions(roles, (role) => t(`shell:role.${role}`)) },
          { name: 'status', label: t('status'), options: toOptions(userStatuses, (name) => t(`statusName.${name}`)) },
          { name: 'group', label: t('group'), options: groups },
          { name: 'seen', label: t('seen'), options: toOptions(lastSeenPresets, (preset) => t(`seenName.${preset}`)) },
          { name: 'made', label: t('created'), options: toOptions(createdPresets, (name) => t(`madeWithin.${name}`)) },
          { name: 'alarmed', label: t('alarms'), options: [{ value: 'true', label: t('alarmed') }] },
        ]}
      />
      <TextFilters list={list} names={texts} labelOf={(name) => t(`filter.${name}`)} />
    </FilterBar>
  );
}

/** URL parameters of the filter; balances are in USD. */
export const filterNames = [
  'role',
  'status',
  'group',
  'balance_min',
  'balance_max',
  'alarmed',
  'seen',
  'made',
] as const;
type FilterName = (typeof filterNames)[number];

const lastSeenPresets = ['day', 'month', 'idle', 'never'] as const;
const createdPresets = ['day', 'week', 'month'] as const;

const DAY = 24 * 3600;
const days = { day: 1, week: 7, month: 30, idle: 90 };

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function userFilter(
  texts: Readonly<Record<FilterName, string | undefined>>,
  keyword: string,
  now = new Date(),
): UserFilter {
  const ago = (span: keyof typeof days) => Math.floor(now.getTime() / 1000) - days[span] * DAY;
  const seen = oneOf(texts.seen, lastSeenPresets);
  const made = oneOf(texts.made, createdPresets);
  return {
    keyword: keyword === '' ? undefined : keyword,
    role: oneOf(texts.role, roles),
    status: oneOf(texts.status, userStatuses),
    group: texts.group,
    balance_min: pointsOf(texts.balance_min),
    balance_max: pointsOf(texts.balance_max),
    alarmed: texts.alarmed === 'true' ? true : undefined,
    seen_after: seen === 'day' || seen === 'month' ? ago(seen) : undefined,
    // The last sign-in of a user who never signed in is 0.
    seen_before: seen === 'idle' ? ago('idle') : seen === 'never' ? 1 : undefined,
    created_after: made === undefined ? undefined : ago(made),
  };
}

function pointsOf(dollars: string | undefined): number | undefined {
  const points = Math.round(parseNumberText(dollars ?? '') * POINTS_PER_USD);
  return Number.isSafeInteger(points) ? points : undefined;
}
