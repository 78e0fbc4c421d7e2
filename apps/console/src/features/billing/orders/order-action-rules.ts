/** Rules for the actions that an order allows; the server checks them again. */
import { type Order, orderReason } from '@switchyard/contract/billing/orders';
import { paymentProviderTypeInfo } from '@switchyard/contract/billing/payment-provider-types';
import { parseMinorUnits, toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';

export type OrderAction = 'check' | 'complete' | 'refund' | 'close' | 'resolve';

const unpaid: ReadonlySet<Order['status']> = new Set(['pending', 'closed', 'failed']);

export function availableActions(order: Order): OrderAction[] {
  const isUnpaid = unpaid.has(order.status);
  const refundable = order.status === 'success' && refundableAmount(order) > 0;
  return [
    ...(order.review === '' ? [] : ['resolve' as const]),
    ...(isUnpaid ? ['check' as const, 'complete' as const] : []),
    ...(order.status === 'pending' ? ['close' as const] : []),
    ...(refundable ? ['refund' as const] : []),
  ];
}

/** Returns the refundable amount in the order's currency, rounded to whole minor units. */
export function refundableAmount({ order_amount, refunded_amount, order_currency }: Order): number {
  const coin = toMajorUnits(1, order_currency);
  return toMajorUnits(Math.round(order_amount / coin) - Math.round(refunded_amount / coin), order_currency);
}

export const supportsRefunds = ({ gateway_type }: Order) => paymentProviderTypeInfo[gateway_type].refunds;

/** Returns the schema of a refund between one minor unit and the refundable amount, in whole minor units. */
export function refundSchema(order: Order) {
  const { order_currency } = order;
  return z.object({
    amount: z
      .number()
      .min(toMajorUnits(1, order_currency), { abort: true })
      .max(refundableAmount(order), { abort: true })
      .refine((amount) => parseMinorUnits(String(amount), order_currency) !== undefined),
    reason: orderReason,
    may_leave_debt: z.boolean(),
    outside: z.boolean(),
  });
}
export type RefundValues = z.output<ReturnType<typeof refundSchema>>;
