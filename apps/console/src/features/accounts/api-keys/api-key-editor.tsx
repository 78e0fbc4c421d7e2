import type { ApiKeyId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ApiKeyForm } from './api-key-form.tsx';
import { formValues, newValues } from './api-key-values.ts';
import { apiKeyQuery, useCreateApiKey, useUpdateApiKey } from './queries.ts';

interface ApiKeyEditorProps {
  id: ApiKeyId | 'new' | undefined;
  onClose: () => void;
  /** Callback that receives the whole key, which is shown once. */
  onCreated: (key: string) => void;
}

export function ApiKeyEditor({ id, onClose, onCreated }: ApiKeyEditorProps) {
  const { t } = useTranslation('api-keys');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editTitle')}>
      {id === 'new' && <NewForm onClose={onClose} onCreated={onCreated} />}
      {id !== undefined && id !== 'new' && <EditForm id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewForm({ onClose, onCreated }: Pick<ApiKeyEditorProps, 'onClose' | 'onCreated'>) {
  const create = useCreateApiKey();
  return (
    <ApiKeyForm
      values={newValues}
      onCancel={onClose}
      onSave={async (body) => onCreated((await create.mutateAsync(body)).key)}
    />
  );
}

function EditForm({ id, onClose }: { id: ApiKeyId; onClose: () => void }) {
  const { t } = useTranslation('common');
  const { data, error, refetch } = useQuery(apiKeyQuery(id));
  const update = useUpdateApiKey();
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <ApiKeyForm
      values={formValues(data)}
      onCancel={onClose}
      onSave={async (body) => {
        await update.mutateAsync({ ...body, id });
        notify('success', t('saved'));
        onClose();
      }}
    />
  );
}
