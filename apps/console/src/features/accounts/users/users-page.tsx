import Button from '@mui/material/Button';
import type { User } from '@switchyard/contract/accounts/users';
import { userId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/export-link.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { useMay } from '../session/queries.ts';
import { userExportUrl } from './queries.ts';
import { UserDrawer } from './user-drawer.tsx';
import { UserEditor } from './user-editor.tsx';
import { filterNames, userFilter } from './user-filter.ts';
import { UsersTable } from './users-table.tsx';

/** Accounts. `?open=` shows one, `?edit=` changes one, `?edit=new` makes one. */
export function UsersPage() {
  const { t } = useTranslation('users');
  const [opened, setOpened] = useSearchParam('open');
  const [edited, setEdited] = useSearchParam('edit');
  const list = useListState(filterNames, '-id');
  const edit = useCallback((user: User) => setEdited(String(user.id)), [setEdited]);
  const mayWrite = useMay('users.write');
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
      <UserEditor
        id={edited === 'new' ? 'new' : userId.safeParse(edited).data}
        onClose={() => setEdited(undefined)}
      />
    </>
  );
}
