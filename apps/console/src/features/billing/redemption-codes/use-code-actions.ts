import type { RedemptionCode } from '@switchyard/contract/billing/redemption-codes';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { revealCode, type SettableStatus, useRemoveCode, useSetCodeStatus } from './queries.ts';

/** Returns the actions for a code; each reports its outcome. */
export function useCodeActions() {
  const { t } = useTranslation('redemption-codes');
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: setStatus } = useSetCodeStatus();
  const { mutateAsync: sendRemoval } = useRemoveCode();

  const toggle = ({ id, hint, status }: RedemptionCode) => {
    const to: SettableStatus = status === 'enabled' ? 'disabled' : 'enabled';
    const back: SettableStatus = to === 'enabled' ? 'disabled' : 'enabled';
    return undoable({
      send: setStatus,
      to: { id, status: to },
      back: () => ({ id, status: back }),
      done: t(to === 'disabled' ? 'disabledCode' : 'enabledCode', { hint }),
    });
  };
  const remove = async ({ id, hint }: RedemptionCode) => {
    await sendRemoval(id);
    notify('success', t('deletedCode', { hint }));
  };
  /** Undefined when it failed, which was said, or nobody confirmed. */
  const reveal = async ({ id }: RedemptionCode): Promise<string | undefined> => {
    try {
      return await revealCode(id);
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  return { toggle, remove, reveal };
}
