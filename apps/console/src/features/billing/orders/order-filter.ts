import { paymentProviderId, userId } from '@switchyard/contract/ids';
import { orderStatuses } from '@switchyard/contract/wire-enums';
import { timeFilter } from '../../../ui/filters/time-presets.ts';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import type { OrderFilter } from './queries.ts';

/** URL parameters of the filter; all except `time` are the contract's. */
export const filterNames = [
  'time',
  'start_timestamp',
  'end_timestamp',
  'status',
  'review',
  'gateway_id',
  'username',
  'user_id',
  'trade_no',
  'gateway_no',
] as const;
export type FilterName = (typeof filterNames)[number];

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function orderFilter(texts: Readonly<Record<FilterName, string | undefined>>, now = new Date()): OrderFilter {
  return {
    ...timeFilter(texts, now),
    status: oneOf(texts.status, orderStatuses),
    review: texts.review === 'true' ? true : undefined,
    gateway_id: paymentProviderId.safeParse(texts.gateway_id).data,
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    trade_no: texts.trade_no,
    gateway_no: texts.gateway_no,
  };
}

/** Returns whether the search text is an order number rather than a user name. */
export function isTradeNumberLike(text: string): boolean {
  return text.length >= 12 && /^[\w-]+$/.test(text) && (text.match(/\d/g) ?? []).length >= 6;
}
