import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useCreateUser, userQuery, useUpdateUser } from './queries.ts';
import { EditUserForm, NewUserForm } from './user-form.tsx';

interface UserEditorProps {
  id: UserId | 'new' | undefined;
  onClose: () => void;
}

export function UserEditor({ id, onClose }: UserEditorProps) {
  const { t } = useTranslation('users');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')}>
      {id === 'new' && <NewUser onClose={onClose} />}
      {id !== undefined && id !== 'new' && <EditUser id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewUser({ onClose }: Pick<UserEditorProps, 'onClose'>) {
  const { t } = useTranslation('users');
  const create = useCreateUser();
  return (
    <NewUserForm
      onCancel={onClose}
      onSave={async (body) => {
        const { username } = await create.mutateAsync(body);
        notify('success', t('createdName', { name: username }));
        onClose();
      }}
    />
  );
}

function EditUser({ id, onClose }: { id: UserId; onClose: () => void }) {
  const { t } = useTranslation('common');
  const { data, error, refetch } = useQuery(userQuery(id));
  const update = useUpdateUser();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <EditUserForm
      user={data}
      onCancel={onClose}
      onSave={async (body) => {
        await update.mutateAsync(body);
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}
