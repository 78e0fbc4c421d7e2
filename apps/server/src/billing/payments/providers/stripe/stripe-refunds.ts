import type { PaidOrder, Processor, Refund, RefundState } from '../../payment-provider.ts';
import type { StripeAccount } from './stripe-account.ts';
import { failureOf, listRefunds, sentBack } from './stripe-money-back.ts';
import { known, type StripeRefund, stripeRefund } from './stripe-objects.ts';

export function stripeRefunds(account: StripeAccount): Pick<Processor, 'refund' | 'askRefund' | 'sentBack'> {
  const askRefund = async (order: PaidOrder, { refundNo }: Refund): Promise<RefundState> => {
    const refunds = await listRefunds(account, order);
    const made = refunds.find(({ metadata }) => metadata?.['refund_no'] === refundNo);
    return made === undefined ? { state: 'unknown' } : stateOf(made);
  };
  return {
    askRefund,
    sentBack: (order) => sentBack(account, order),
    async refund(order, refund) {
      // Stripe forgets idempotency keys after a day.
      const before = await askRefund(order, refund);
      if (before.state !== 'unknown') return before;
      const { refundNo, amount } = refund;
      const metadata = { refund_no: refundNo, trade_no: order.tradeNo };
      const made = await account.call((stripe) =>
        stripe.refunds.create(
          { payment_intent: order.processorNo, amount, metadata },
          { idempotencyKey: refundNo },
        ),
      );
      return stateOf(known(stripeRefund, made));
    },
  };
}

function stateOf(refund: StripeRefund): RefundState {
  const { id: processorNo, status } = refund;
  if (status === 'succeeded') return { state: 'done', processorNo };
  const reason = failureOf(refund);
  return reason === undefined ? { state: 'pending' } : { state: 'failed', reason, processorNo };
}
