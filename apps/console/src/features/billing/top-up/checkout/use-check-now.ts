import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../../ui/feedback/use-notify-error.ts';
import { useCheckOwnOrder } from '../../orders/queries.ts';

/** Asks the payment company now, and says when it has not heard of a payment. */
export function useCheckNow() {
  const { t } = useTranslation('top-up');
  const { mutateAsync, isPending } = useCheckOwnOrder();
  const notifyError = useNotifyError();
  const check = async (tradeNo: string) => {
    try {
      const { status } = await mutateAsync(tradeNo);
      if (status === 'pending' || status === 'closed') notify('info', t('notYet'));
    } catch (error) {
      notifyError(error);
    }
  };
  return { check, checking: isPending };
}
