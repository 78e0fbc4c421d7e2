import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import type { DetailRow } from './detail-row.ts';
import { useRemoveDetail } from './queries.ts';

export function DetailMenu({ row, onEdit }: { row: DetailRow; onEdit: () => void }) {
  const { t } = useTranslation(['model-details', 'common']);
  const [asked, setAsked] = useState(false);
  const remove = useRemoveDetail();
  const { model, listed, own } = row;
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: onEdit },
          ...(own === null
            ? []
            : [{ label: t('common:delete'), danger: true, apart: true, onSelect: () => setAsked(true) }]),
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteTitle', { model }),
          text: t(listed === null ? 'deleteText' : 'deleteTextListed'),
          verb: t('common:delete'),
        }}
        onConfirm={async () => {
          await remove.mutateAsync(model);
          notify('success', t('deleted', { model }));
        }}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
