import type { PaidOrder, PaymentProviderClient, Refund, RefundState } from '../../payment-provider.ts';
import type { StripeAccount } from './stripe-account.ts';
import { describeRefundFailure, listRefunds, listStripeMoneyBack } from './stripe-money-back.ts';
import { parseStripeObject, type StripeRefund, stripeRefund } from './stripe-objects.ts';

export function createStripeRefunds(
  account: StripeAccount,
): Pick<PaymentProviderClient, 'refund' | 'pollRefund' | 'listReportedRefunds'> {
  const askRefund = async (order: PaidOrder, { refundNo }: Refund): Promise<RefundState> => {
    const refunds = await listRefunds(account, order);
    const made = refunds.find(({ metadata }) => metadata?.['refund_no'] === refundNo);
    return made === undefined ? { state: 'unknown' } : toRefundState(made);
  };
  return {
    pollRefund: askRefund,
    listReportedRefunds: (order) => listStripeMoneyBack(account, order),
    async refund(order, refund) {
      // Stripe forgets idempotency keys after a day.
      const before = await askRefund(order, refund);
      if (before.state !== 'unknown') return before;
      const { refundNo, amount } = refund;
      const metadata = { refund_no: refundNo, trade_no: order.tradeNo };
      const made = await account.call((stripe) =>
        stripe.refunds.create({ payment_intent: order.processorNo, amount, metadata }, { idempotencyKey: refundNo }),
      );
      return toRefundState(parseStripeObject(stripeRefund, made));
    },
  };
}

function toRefundState(refund: StripeRefund): RefundState {
  const { id: processorNo, status } = refund;
  if (status === 'succeeded') return { state: 'done', processorNo };
  const reason = describeRefundFailure(refund);
  return reason === undefined ? { state: 'pending' } : { state: 'failed', reason, processorNo };
}
