/** Wire responses of the order routes, for tests. */
import type { order, orders } from '@switchyard/contract/billing/orders';
import type { z } from 'zod';

type WireOrder = z.input<typeof order>;
type WireOwnDetail = z.input<typeof orders.getOwn.answer>;
type WireOffer = z.input<typeof orders.offers.answer>[number];

const now = Math.floor(Date.now() / 1000);

export function wireOrder(id: number, more: Partial<WireOrder> = {}): WireOrder {
  return {
    id,
    trade_no: `T${1000 + id}`,
    status: 'success',
    gateway_id: 3,
    gateway_name: 'Alipay',
    gateway_type: 'alipay',
    gateway_no: '2026112100001',
    amount: 10,
    quota: 5_000_000,
    fee: 0,
    discount: 0,
    order_amount: 73,
    order_currency: 'CNY',
    refunded_amount: 0,
    refunded_quota: 0,
    created_at: now - 60,
    expires_at: now + 1740,
    paid_at: now - 30,
    user_id: 7,
    username: 'ada',
    review: '',
    ...more,
  };
}

export function wireOwnOrder(more: Partial<WireOwnDetail> = {}): WireOwnDetail {
  const { user_id: _user, username: _username, review: _review, ...own } = wireOrder(1);
  return {
    ...own,
    events: [{ created_at: now - 60, event: 'created', username: null, detail: '' }],
    payment: null,
    ...more,
  };
}

/** Returns an order whose payment on a page is pending. */
export function wirePendingOrder(more: Partial<WireOwnDetail> = {}): WireOwnDetail {
  return wireOwnOrder({
    status: 'pending',
    gateway_no: '',
    paid_at: null,
    payment: { type: 1, data: { url: 'https://pay.example/cashier', method: 'GET', params: {} } },
    ...more,
  });
}

export function wireOffer(uuid: string, more: Partial<WireOffer> = {}): WireOffer {
  return {
    uuid,
    name: 'Alipay',
    type: 'alipay',
    icon: '',
    fixed_fee: 0,
    percent_fee: 0,
    currency: 'CNY',
    exchange_rate: 7.3,
    sort: 0,
    sandbox: false,
    ...more,
  };
}
