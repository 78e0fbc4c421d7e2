import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { liveOrderQuery, ownOrderListKey } from '../../orders/queries.ts';
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
