import Button from '@mui/material/Button';
import { userGroupId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useMay } from '../session/queries.ts';
import { UserGroupEditor } from './user-group-editor.tsx';
import { UserGroupsTable } from './user-groups-table.tsx';

/** Groups of users. `?edit=` changes one, `?edit=new` makes one, like that of `?copy=`. */
export function UserGroupsPage() {
  const { t } = useTranslation('user-groups');
  const { edit: edited, copy: copied } = useSearchParams();
  const setParams = useSetSearchParams();
  const setEdited = (edit: string | undefined, copy?: string) => setParams({ edit, copy }, 'push');
  const editedId = edited === 'new' ? 'new' : userGroupId.safeParse(edited).data;
  const mayWrite = useMay('groups.write');
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          mayWrite && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />
        }
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
