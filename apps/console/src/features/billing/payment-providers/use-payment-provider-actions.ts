import type { PaymentProvider } from '@switchyard/contract/billing/payment-providers';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { useQuickPaymentProviderChange, useRemovePaymentProvider } from './queries.ts';

/**
 * Returns the list's actions for payment providers, which report their result and offer undo where possible.
 */
export function usePaymentProviderActions() {
  const { t } = useTranslation('processors');
  const undoable = useUndoable();
  const { mutateAsync: sendChange } = useQuickPaymentProviderChange();
  const { mutateAsync: sendRemoval } = useRemovePaymentProvider();

  const toggle = ({ id, name, enable }: PaymentProvider) =>
    undoable({
      send: sendChange,
      to: { id, enable: !enable },
      back: () => ({ id, enable }),
      done: t(enable ? 'disabledName' : 'enabledName', { name }),
    });
  const setSort = ({ id, name, sort }: PaymentProvider, next: number) =>
    undoable({
      send: sendChange,
      to: { id, sort: next },
      back: () => ({ id, sort }),
      done: t('sorted', { name }),
    });
  const remove = async ({ id, name }: PaymentProvider) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name }));
  };
  return { toggle, setSort, remove };
}
