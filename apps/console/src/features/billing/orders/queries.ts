import { orders } from '@switchyard/contract/billing/orders';
import { createClient, routeUrl } from '@switchyard/contract/client';
import type { OrderId } from '@switchyard/contract/ids';
import type { RouteCall, RouteResponse } from '@switchyard/contract/route';
import type { OrderStatus } from '@switchyard/contract/wire-enums';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(orders, send);
const all = ['orders'] as const;

export type OwnOrderDetail = RouteResponse<typeof orders.getOwn>;
type OwnOrderListQuery = NonNullable<RouteCall<typeof orders.listOwn>['query']>;
type NewOrder = RouteCall<typeof orders.create>['body'] & { changeId: string };

const AGAIN_MS = 1000;
const AGAIN_AFTER_FAILURE_MS = 5000;
const LIST_AGAIN_MS = 10_000;
const WAITING: OrderStatus = 'pending';

/** Query for the payment options of buyers. */
export const paymentOptionsQuery = queryOptions({
  queryKey: [...all, 'offers'],
  queryFn: ({ signal }) => api.offers({}, signal),
});

export const ownOrderListKey = [...all, 'own', 'list'] as const;

/** Query for the user's own orders; refetches while one of them is pending. */
export function ownOrderListQuery(query: OwnOrderListQuery) {
  return queryOptions({
    queryKey: [...ownOrderListKey, query],
    queryFn: ({ signal }) => api.listOwn({ query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === WAITING) === true ? LIST_AGAIN_MS : false,
  });
}

const ownOrderKey = (tradeNo: string) => [...all, 'own', 'one', tradeNo];

/**
 * Query for one of the user's orders. While it is pending, each call waits at the server for another status
 * and is repeated, also in the background, because the buyer pays in another tab.
 */
export function liveOrderQuery(tradeNo: string) {
  return queryOptions({
    queryKey: ownOrderKey(tradeNo),
    queryFn: async ({ signal, client }): Promise<OwnOrderDetail> => {
      const known = client.getQueryData<OwnOrderDetail>(ownOrderKey(tradeNo));
      const waits = known?.status === WAITING;
      return api.getOwn({ params: { trade_no: tradeNo }, query: waits ? { while_status: WAITING } : {} }, signal);
    },
    refetchInterval: ({ state }) => {
      if (state.data?.status !== WAITING) return false;
      return state.error === null ? AGAIN_MS : AGAIN_AFTER_FAILURE_MS;
    },
    refetchIntervalInBackground: true,
  });
}

export const useCreateOrder = () =>
  useListChange(ownOrderListKey, ({ changeId, ...body }: NewOrder) => api.create({ body, idempotencyKey: changeId }));

/** Caches the order that the call returns and refetches its events. */
function useOwnOrderCall(call: (tradeNo: string) => Promise<RouteResponse<typeof orders.checkOwn>>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: async (order) => {
      const key = ownOrderKey(order.trade_no);
      // A call that still waits for the old status would overwrite this one with a stale order.
      await client.cancelQueries({ queryKey: key });
      client.setQueryData<OwnOrderDetail>(key, (known) =>
        known === undefined ? known : { ...known, ...order, payment: order.status === WAITING ? known.payment : null },
      );
      await client.invalidateQueries({ queryKey: [...all, 'own'] });
    },
  });
}

export const useCheckOwnOrder = () => useOwnOrderCall((trade_no) => api.checkOwn({ params: { trade_no } }));
export const useCloseOwnOrder = () => useOwnOrderCall((trade_no) => api.closeOwn({ params: { trade_no } }));

export type OrderTotals = RouteResponse<typeof orders.totals>;
type OrderListQuery = NonNullable<RouteCall<typeof orders.list>['query']>;
export type OrderFilter = NonNullable<RouteCall<typeof orders.totals>['query']>;
type RefundOrder = RouteCall<typeof orders.refund>['body'] & { id: OrderId; changeId: string };
interface OrderReason {
  id: OrderId;
  reason: string;
}

const staff = [...all, 'staff'] as const;

/**
 * @param key identifies the filter by its texts; resolved relative times would change the key every second
 */
export const orderListQuery = (key: unknown, query: () => OrderListQuery) =>
  queryKeepingPrevious([...staff, 'list', key], (signal) => api.list({ query: query() }, signal));

export const orderTotalsQuery = (key: unknown, filter: () => OrderFilter) =>
  queryKeepingPrevious([...staff, 'totals', key], (signal) => api.totals({ query: filter() }, signal));

export const orderQuery = (id: OrderId) =>
  queryOptions({ queryKey: [...staff, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

/** Returns the URL at which the browser downloads the matching orders. */
export const orderExportUrl = (filter: OrderFilter) => routeUrl(orders.export, { query: filter });

export const useCheckOrder = () => useListChange(staff, (id: OrderId) => api.check({ params: { id } }));
export const useCompleteOrder = () =>
  useListChange(staff, ({ id, reason }: OrderReason) =>
    withStepUp(() => api.complete({ params: { id }, body: { reason } })),
  );
export const useResolveOrder = () =>
  useListChange(staff, ({ id, reason }: OrderReason) => api.resolve({ params: { id }, body: { reason } }));
export const useCloseOrder = () =>
  useListChange(staff, ({ id, reason }: OrderReason) => api.close({ params: { id }, body: { reason } }));
export const useRefundOrder = () =>
  useListChange(staff, ({ id, changeId, ...body }: RefundOrder) =>
    withStepUp(() => api.refund({ params: { id }, body, idempotencyKey: changeId })),
  );
