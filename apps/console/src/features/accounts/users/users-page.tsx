import Button from '@mui/material/Button';
import type { User } from '@switchyard/contract/accounts/users';
import { userId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/export-link.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../session/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { userExportUrl, userListQuery } from './queries.ts';
import { UserBulkActions } from './user-bulk-actions.tsx';
import { userColumns } from './user-columns.tsx';
import { UserDrawer } from './user-drawer.tsx';
import { UserEditor } from './user-editor.tsx';
import { createdPresets, type FilterName, filterNames, lastSeenPresets, userFilter } from './user-filter.ts';
import { UserMenu } from './user-menu.tsx';
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
