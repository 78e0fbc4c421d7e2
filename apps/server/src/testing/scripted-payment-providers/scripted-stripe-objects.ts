/** Builds Stripe's API objects for payments: https://docs.stripe.com/api */
import type { ScriptedDispute, ScriptedOrder, WebhookFields, WebhookKind } from './scripted-provider.ts';

export interface StripeOrder extends ScriptedOrder {
  payType: 'checkout' | 'alipay' | 'wechat_pay';
  /** Id of the checkout session. */
  sessionId: string;
  expiresAt: number;
}

const intentStatus = {
  open: 'requires_action',
  paid: 'succeeded',
  failed: 'requires_payment_method',
  closed: 'canceled',
} as const;

export function buildSession(order: StripeOrder, url: string): WebhookFields {
  const isPaid = order.status === 'paid';
  return {
    id: order.sessionId,
    object: 'checkout.session',
    mode: 'payment',
    amount_total: order.amount,
    currency: order.currency,
    client_reference_id: order.tradeNo,
    expires_at: order.expiresAt,
    livemode: false,
    metadata: { trade_no: order.tradeNo, pay_type: order.payType },
    payment_intent: isPaid || order.status === 'failed' ? order.paymentNo : null,
    payment_status: isPaid ? 'paid' : 'unpaid',
    status: { open: 'open', paid: 'complete', failed: 'complete', closed: 'expired' }[order.status],
    url: order.status === 'open' ? `${url}/c/pay/${order.sessionId}` : null,
  };
}

export function buildIntent(order: StripeOrder, url: string): WebhookFields {
  return {
    id: order.paymentNo,
    object: 'payment_intent',
    amount: order.amount,
    amount_received: order.status === 'paid' ? order.amount : 0,
    currency: order.currency,
    livemode: false,
    metadata: { trade_no: order.tradeNo, pay_type: order.payType },
    last_payment_error: order.status === 'failed' ? { message: 'The customer declined.' } : null,
    next_action: order.status === 'open' ? buildNextAction(order, url) : null,
    status: intentStatus[order.status],
  };
}

function buildNextAction({ payType, sessionId }: StripeOrder, url: string): object {
  return payType === 'wechat_pay'
    ? {
        type: 'wechat_pay_display_qr_code',
        wechat_pay_display_qr_code: { data: `weixin://wxpay/bizpayurl?pr=${sessionId}` },
      }
    : { type: 'alipay_handle_redirect', alipay_handle_redirect: { url: `${url}/c/pay/${sessionId}` } };
}

export function buildRefund(order: StripeOrder, index: number): WebhookFields {
  const refund = order.refunds[index];
  const own = refund?.refundNo.startsWith('desk-') === false;
  return {
    id: refund?.providerNo,
    object: 'refund',
    amount: refund?.amount,
    currency: order.currency,
    payment_intent: order.paymentNo,
    status: refund?.status,
    ...(refund?.status === 'failed' ? { failure_reason: 'lost_or_stolen_card' } : {}),
    metadata: own ? { refund_no: refund.refundNo, trade_no: order.tradeNo } : {},
  };
}

export function buildDispute(order: StripeOrder, { disputeNo, amount, status }: ScriptedDispute): WebhookFields {
  return {
    id: disputeNo,
    object: 'dispute',
    amount,
    currency: order.currency,
    payment_intent: order.paymentNo,
    status: status === 'open' ? 'needs_response' : status,
  };
}

function buildClosedDisputes(order: StripeOrder, status: ScriptedDispute['status']): [string, WebhookFields][] {
  const closed = order.disputes.filter((dispute) => dispute.status === status);
  return closed.map((dispute) => ['charge.dispute.closed', buildDispute(order, dispute)]);
}

/** Returns the type and object of each event of an order, in Stripe's order. */
export function buildEvents(order: StripeOrder, kind: WebhookKind, url: string): [string, WebhookFields][] {
  const session = buildSession(order, url);
  const intent = buildIntent(order, url);
  const isCheckout = order.payType === 'checkout';
  switch (kind) {
    case 'paid':
      return isCheckout
        ? [
            ['checkout.session.completed', session],
            ['payment_intent.succeeded', intent],
          ]
        : [['payment_intent.succeeded', intent]];
    case 'failed':
      return isCheckout
        ? [['checkout.session.async_payment_failed', session]]
        : [['payment_intent.payment_failed', intent]];
    case 'closed':
      return [['checkout.session.expired', session]];
    case 'refunded':
      return order.refunds.flatMap(({ status }, index) => {
        const types = status === 'failed' ? ['refund.updated', 'refund.failed'] : ['refund.created'];
        return types.map((type): [string, WebhookFields] => [type, buildRefund(order, index)]);
      });
    case 'disputed':
      return order.disputes.map((dispute) => [
        'charge.dispute.created',
        buildDispute(order, { ...dispute, status: 'open' }),
      ]);
    case 'dispute-won':
      return buildClosedDisputes(order, 'won');
    case 'dispute-lost':
      return buildClosedDisputes(order, 'lost');
  }
}
