import Button from '@mui/material/Button';
import { userId } from '@switchyard/contract/ids';
import type { User } from '@switchyard/contract/users';
import { IconPlus } from '@tabler/icons-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useListState } from '../../ui/data-table/list-state.ts';
import { ExportLink } from '../../ui/export-link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { PrimaryAction } from '../../ui/primary-action.tsx';
import { useSearchParam } from '../../ui/search-params.ts';
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
