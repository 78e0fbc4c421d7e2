import Button from '@mui/material/Button';
import type { GroupWithUsage, UserGroup } from '@switchyard/contract/accounts/user-groups';
import { userGroupId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../session/queries.ts';
import { listUserGroups, useRemoveUserGroup, userGroupListQuery, useToggleUserGroup } from './queries.ts';
import { userGroupColumns } from './user-group-columns.tsx';
import { UserGroupEditor } from './user-group-editor.tsx';

/** Lists the user groups. `?edit=` changes one, `?edit=new` creates one; `?copy=` names a group to copy. */
export function UserGroupsPage() {
  const { t } = useTranslation('user-groups');
  const { edit: edited, copy: copied } = useSearchParams();
  const setParams = useSetSearchParams();
  const setEdited = (edit: string | undefined, copy?: string) => setParams({ edit, copy }, 'push');
  const editedId = edited === 'new' ? 'new' : userGroupId.safeParse(edited).data;
  const mayWrite = useHasAccess('groups.write');
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={mayWrite && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <UserGroupsTable
        mayWrite={mayWrite}
        onEdit={(group) => setEdited(String(group.id))}
        onDuplicate={(group) => setEdited('new', String(group.id))}
        empty={
          mayWrite && (
            <Button variant="contained" onClick={create}>
              {t('new')}
            </Button>
          )
        }
      />
      <UserGroupEditor
        id={mayWrite ? editedId : undefined}
        copied={userGroupId.safeParse(copied).data}
        onClose={() => setEdited(undefined)}
      />
    </>
  );
}

interface UserGroupsTableProps {
  mayWrite: boolean;
  onEdit: (group: GroupWithUsage) => void;
  onDuplicate: (group: GroupWithUsage) => void;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

const RATIO_DIGITS = 6;
const statuses = ['enabled', 'disabled'] as const;

function UserGroupsTable({ mayWrite, onEdit, onDuplicate, empty }: UserGroupsTableProps) {
  const { t } = useTranslation('user-groups');
  const format = useFormat();
  const list = useListState(['status'], 'id');
  const status = oneOf(list.filters.status, statuses);
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    name: list.keyword,
    enable: status === undefined ? undefined : status === 'enabled',
  };
  const listed = useQuery(userGroupListQuery(query));
  const columns = useMemo(
    () => userGroupColumns(t, (value) => format.number(value, RATIO_DIGITS), format.usd),
    [t, format],
  );
  return (
    <DataTable
      name="user-groups"
      label={t('title')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(group) => String(group.id)}
      {...(mayWrite && {
        onOpen: onEdit,
        renderActions: (group: GroupWithUsage) => (
          <UserGroupMenu group={group} onEdit={onEdit} onDuplicate={onDuplicate} />
        ),
      })}
      fetchPage={(page, size) => listUserGroups({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChips
            list={list}
            chips={[{ name: 'status', label: t('status'), options: toOptions(statuses, (value) => t(value)) }]}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

/** Group of every user without another group; it cannot be disabled or deleted. */
const DEFAULT_GROUP = 'default';

interface UserGroupMenuProps {
  group: GroupWithUsage;
  onEdit: (group: GroupWithUsage) => void;
  onDuplicate: (group: GroupWithUsage) => void;
}

function UserGroupMenu({ group, onEdit, onDuplicate }: UserGroupMenuProps) {
  const { t } = useTranslation(['user-groups', 'common']);
  const language = useLanguage();
  const { toggle, remove } = useUserGroupActions();
  const uses = (['members', 'tokens', 'channels'] as const)
    .filter((what) => group[what] > 0)
    .map((what) => t(`uses.${what}`, { count: group[what] }));
  return (
    <MoreMenu
      entries={[
        { label: t('common:edit'), onSelect: () => onEdit(group) },
        { label: t('duplicate'), onSelect: () => onDuplicate(group) },
        ...(group.symbol === DEFAULT_GROUP
          ? []
          : [
              { label: t(group.enable ? 'common:disable' : 'common:enable'), onSelect: () => void toggle(group) },
              {
                label: t('common:delete'),
                danger: true,
                apart: true,
                question:
                  uses.length === 0
                    ? { title: t('deleteTitle', { name: group.name }), text: t('deleteText') }
                    : {
                        title: t('inUseTitle', { name: group.name }),
                        text: t('inUse', { uses: new Intl.ListFormat(languageTags[language]).format(uses) }),
                        verb: t('common:close'),
                      },
                onConfirm: () => (uses.length === 0 ? remove(group) : undefined),
              },
            ]),
      ]}
    />
  );
}

/** Returns actions that enable, disable (both with undo) and delete groups, and report the result. */
function useUserGroupActions() {
  const { t } = useTranslation('user-groups');
  const undoable = useUndoable();
  const { mutateAsync: sendToggle } = useToggleUserGroup();
  const { mutateAsync: sendRemoval } = useRemoveUserGroup();

  const toggle = ({ id, name, enable }: UserGroup) =>
    undoable({ send: sendToggle, to: id, back: () => id, done: t(enable ? 'disabledName' : 'enabledName', { name }) });
  const remove = async ({ id, name }: UserGroup) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name }));
  };
  return { toggle, remove };
}
