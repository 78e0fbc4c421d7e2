import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { saveFile } from '../../../ui/table/csv.ts';
import type { Handout } from './handout.ts';
import { exportBatch, readUnusedCodes, useRemoveBatch, useSetBatchEnabled } from './queries.ts';

/** Returns the actions for a batch; each reports its outcome. */
export function useBatchActions() {
  const { t } = useTranslation('redemption-codes');
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: setEnabled } = useSetBatchEnabled();
  const { mutateAsync: sendRemoval } = useRemoveBatch();

  const toggle = ({ id, name, enabled }: CodeBatch) =>
    undoable({
      send: setEnabled,
      to: { id, enabled: !enabled },
      back: () => ({ id, enabled }),
      done: t(enabled ? 'disabledBatch' : 'enabledBatch', { name }),
    });
  const remove = async ({ id, name }: CodeBatch) => {
    await sendRemoval(id);
    notify('success', t('deletedBatch', { name }));
  };
  const saveCsv = async ({ id }: CodeBatch) => {
    try {
      saveFile(`codes-${id}.csv`, await exportBatch(id));
    } catch (error) {
      notifyError(error);
    }
  };
  /** Undefined when it failed, which was said. */
  const readHandout = async ({ id, name, quota, expires_time }: CodeBatch): Promise<Handout | undefined> => {
    try {
      return { name, quota, expires_time, codes: await readUnusedCodes(id) };
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  return { toggle, remove, saveCsv, readHandout };
}
