import { useEffect } from 'react';
import { useCheckOwnOrder } from '../../orders/queries.ts';

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
