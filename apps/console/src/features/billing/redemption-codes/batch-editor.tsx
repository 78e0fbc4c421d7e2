import type { CodeBatchId } from '@switchyard/contract/ids';
import { useTranslation } from 'react-i18next';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { BatchForm } from './batch-form.tsx';
import { EditBatch } from './edit-batch.tsx';
import type { Handout } from './handout.ts';
import { useCreateBatch } from './queries.ts';

interface BatchEditorProps {
  id: CodeBatchId | 'new' | undefined;
  onClose: () => void;
  /** Callback that receives the codes, which are not shown again without a confirmation. */
  onMade: (handout: Handout) => void;
}

export function BatchEditor({ id, onClose, onMade }: BatchEditorProps) {
  const { t } = useTranslation('redemption-codes');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editBatch')}>
      {id === 'new' && <NewBatchForm onClose={onClose} onMade={onMade} />}
      {id !== undefined && id !== 'new' && <EditBatch id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewBatchForm({ onClose, onMade }: Pick<BatchEditorProps, 'onClose' | 'onMade'>) {
  const create = useCreateBatch();
  return (
    <BatchForm
      onCancel={onClose}
      onSave={async (body) => {
        const codes = await create.mutateAsync(body);
        onMade({ name: body.name, quota: body.quota, expires_time: body.expires_time, codes });
      }}
    />
  );
}
