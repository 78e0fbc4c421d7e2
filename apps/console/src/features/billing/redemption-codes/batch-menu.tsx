import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import type { Handout } from './handout.ts';
import { SheetDialog } from './sheet-dialog.tsx';
import { useBatchActions } from './use-batch-actions.ts';

interface BatchMenuProps {
  batch: CodeBatch;
  onEdit: (batch: CodeBatch) => void;
  onShowCodes: (batch: CodeBatch) => void;
}

export function BatchMenu({ batch, onEdit, onShowCodes }: BatchMenuProps) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const [asked, setAsked] = useState(false);
  const [printed, setPrinted] = useState<Handout>();
  const { toggle, remove, saveCsv, readHandout } = useBatchActions();
  const { name, enabled, unused } = batch;
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit(batch) },
          { label: t('showCodes'), onSelect: () => onShowCodes(batch) },
          { label: t('common:table.exportCsv'), onSelect: () => void saveCsv(batch) },
          ...(unused > 0
            ? [{ label: t('printSheet'), onSelect: () => void readHandout(batch).then(setPrinted) }]
            : []),
          {
            label: t(enabled ? 'common:disable' : 'common:enable'),
            apart: true,
            onSelect: () => void toggle(batch),
          },
          { label: t('common:delete'), danger: true, onSelect: () => setAsked(true) },
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteBatchTitle', { name }),
          text: unused === 0 ? t('deleteUsedBatchText') : t('deleteBatchText', { count: unused }),
          verb: t('common:delete'),
          typed: unused === 0 ? undefined : name,
        }}
        onConfirm={() => remove(batch)}
        onClose={() => setAsked(false)}
      />
      {printed !== undefined && <SheetDialog handout={printed} onClose={() => setPrinted(undefined)} />}
    </>
  );
}
