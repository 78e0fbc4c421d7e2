import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../../ui/feedback/use-error-text.ts';
import { liveOrderQuery, ownOrderListKey, useCheckOwnOrder } from '../../orders/queries.ts';
import { useBalanceChanged } from '../queries.ts';

/**
 * Follows one of the user's orders; refetches the order list and the balance when it is no longer pending.
 */
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

/** Returns a check of the order at the payment provider, which reports a payment that has not arrived. */
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
 * Checks the order when a buyer returns from paying. If that fails, the server repeats the check by itself.
 */
export function useCheckOnReturn(tradeNo: string | undefined): void {
  const { mutate } = useCheckOwnOrder();
  useEffect(() => {
    if (tradeNo !== undefined) mutate(tradeNo);
  }, [tradeNo, mutate]);
}

/** Returns the URL of a separate page, for a new tab, that redirects the buyer to the payment provider. */
export function payPageUrl(tradeNo: string): string {
  return `/pay.html?${new URLSearchParams({ order: tradeNo }).toString()}`;
}

/** Returns whether the browser runs on a phone, where payment apps are installed. */
export function isPhone(): boolean {
  return /Android|iPhone|iPod|Mobile/i.test(navigator.userAgent);
}
