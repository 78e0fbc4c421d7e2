import type { ModelOwner } from '@switchyard/contract/catalog/model-owners';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useRemoveOwner } from './queries.ts';

export function OwnerMenu({ owner, onEdit }: { owner: ModelOwner; onEdit: () => void }) {
  const { t } = useTranslation(['model-owners', 'common']);
  const [asked, setAsked] = useState(false);
  const remove = useRemoveOwner();
  const { id, name, prices } = owner;
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: onEdit },
          { label: t('common:delete'), danger: true, apart: true, onSelect: () => setAsked(true) },
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteTitle', { name }),
          text: prices === 0 ? t('deleteText') : t('deleteTextUsed', { count: prices }),
          verb: t('common:delete'),
        }}
        onConfirm={async () => {
          await remove.mutateAsync(id);
          notify('success', t('deleted', { name }));
        }}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
