import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../../ui/feedback/use-error-text.ts';
import { liveOrderQuery, ownOrderListKey, useCheckOwnOrder } from '../../orders/queries.ts';
import { useBalanceChanged } from '../queries.ts';

/** An own order, followed while it is on the screen: what it changes elsewhere is read again. */
export function useOwnOrder(tradeNo: string) {
  const query = useQuery(liveOrderQuery(tradeNo));
  const client = useQueryClient();
  const balanceChanged = useBalanceChanged();
  const status = query.data?.status;
  useEffect(() => {
    if (status === undefined || status === 'pending') return;
    void client.invalidateQueries({ queryKey: ownOrderListKey });
    void balanceChanged();
  }, [status, client, balanceChanged]);
  return query;
}

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

/**
 * Has the payment company asked as soon as a buyer comes back from paying. When it does not answer, the server asks again
 * by itself, and the buyer has a button.
 */
export function useCheckOnReturn(tradeNo: string | undefined): void {
  const { mutate } = useCheckOwnOrder();
  useEffect(() => {
    if (tradeNo !== undefined) mutate(tradeNo);
  }, [tradeNo, mutate]);
}
