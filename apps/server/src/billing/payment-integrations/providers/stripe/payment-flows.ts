/** Opens, polls and closes orders. A checkout session is a page; a payment intent is a QR code or a redirect. */
import type { Stripe } from 'stripe';
import { nowSeconds } from '../../../../platform/clock.ts';
import {
  type NewProviderOrder,
  type OpenedOrder,
  type OpenResult,
  type PaymentMethod,
  type PaymentProviderClient,
  PaymentProviderError,
  type PaymentState,
  type ProviderEnvironment,
} from '../../payment-provider.ts';
import { sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';
import {
  checkoutSession,
  type PaymentIntent,
  parseStripeObject,
  paymentIntent,
  type StripeAccount,
} from './stripe-api.ts';

/**
 * Stripe requires a session lifetime from half an hour to a day: https://docs.stripe.com/api/checkout/sessions/create
 */
const SESSION_MIN_SECONDS = 31 * 60;
const SESSION_MAX_SECONDS = 24 * 3600 - 60;
/** Statuses in which a payment intent can be cancelled; in the others it is final or being decided. */
const cancelable = new Set(['requires_payment_method', 'requires_confirmation', 'requires_action']);

type PaymentFlow = Pick<PaymentProviderClient, 'openOrder' | 'pollOrder' | 'closeOrder'>;

export function createCheckoutFlow(account: StripeAccount, { clock }: ProviderEnvironment): PaymentFlow {
  return {
    async openOrder(order) {
      const now = nowSeconds(clock);
      const expires = Math.max(order.expiresAt, now + SESSION_MIN_SECONDS);
      const params = sessionParams(order, Math.min(expires, now + SESSION_MAX_SECONDS));
      const session = await account.call((stripe) =>
        stripe.checkout.sessions.create(params, { idempotencyKey: order.tradeNo }),
      );
      if (typeof session.url !== 'string') throw new Error('Stripe created a Checkout session without a URL');
      return { ref: session.id, paymentMethod: { kind: 'page', url: session.url, method: 'GET', params: {} } };
    },
    async pollOrder({ ref }) {
      const answer = await account.call((stripe) => stripe.checkout.sessions.retrieve(ref));
      const session = parseStripeObject(checkoutSession, answer);
      const { payment_intent: providerNo, amount_total: amount, currency } = session;
      if (session.payment_status === 'paid' && providerNo !== null && amount !== null && currency !== null)
        return { state: 'paid', providerNo, amount, currency: currency.toUpperCase() };
      if (session.status === 'expired') return { state: 'closed' };
      // The buyer has completed the page, and the payment is pending: the payment intent has its state.
      return session.status === 'complete' && providerNo !== null ? fetchIntentState(account, providerNo) : PENDING;
    },
    async closeOrder({ ref }) {
      const { status } = await account.call((stripe) => stripe.checkout.sessions.retrieve(ref));
      if (status === 'open') await account.call((stripe) => stripe.checkout.sessions.expire(ref));
    },
  };
}

function sessionParams(order: NewProviderOrder, expiresAt: number): Stripe.Checkout.SessionCreateParams {
  const metadata = { trade_no: order.tradeNo, pay_type: 'checkout' };
  return {
    mode: 'payment',
    client_reference_id: order.tradeNo,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: order.amount,
          product_data: { name: order.description },
        },
      },
    ],
    // The buyer must pay the order's amount in the order's currency.
    adaptive_pricing: { enabled: false },
    expires_at: expiresAt,
    success_url: order.returnUrl,
    cancel_url: order.returnUrl,
  };
}

export function createIntentFlow(payType: 'alipay' | 'wechat_pay', account: StripeAccount): PaymentFlow {
  return {
    async openOrder(order) {
      const intent = await account.call((stripe) =>
        stripe.paymentIntents.create(intentParams(order, payType), { idempotencyKey: order.tradeNo }),
      );
      return toOpenResult(intent);
    },
    pollOrder: ({ ref }) => fetchIntentState(account, ref),
    async closeOrder({ ref }: OpenedOrder) {
      const { status } = await account.call((stripe) => stripe.paymentIntents.retrieve(ref));
      if (cancelable.has(status)) await account.call((stripe) => stripe.paymentIntents.cancel(ref));
    },
  };
}

function intentParams(order: NewProviderOrder, payType: 'alipay' | 'wechat_pay'): Stripe.PaymentIntentCreateParams {
  return {
    amount: order.amount,
    currency: order.currency.toLowerCase(),
    description: order.description,
    metadata: { trade_no: order.tradeNo, pay_type: payType },
    allowed_payment_method_types: [payType],
    payment_method_data: { type: payType },
    ...(payType === 'wechat_pay' ? { payment_method_options: { wechat_pay: { client: 'web' } } } : {}),
    confirm: true,
    return_url: order.returnUrl,
  };
}

function toOpenResult({ id, next_action: next }: Stripe.PaymentIntent): OpenResult {
  return { ref: id, paymentMethod: toPaymentMethod(next) };
}

function toPaymentMethod(next: Stripe.PaymentIntent.NextAction | null): PaymentMethod {
  const page = next?.alipay_handle_redirect?.url ?? next?.redirect_to_url?.url;
  if (page !== undefined && page !== null) return { kind: 'page', url: page, method: 'GET', params: {} };
  const code = next?.wechat_pay_display_qr_code?.data;
  if (code !== undefined) return { kind: 'qr', url: code };
  throw new PaymentProviderError('Stripe returned no payment instructions');
}

const PENDING: PaymentState = { state: 'pending' };

async function fetchIntentState(account: StripeAccount, id: string): Promise<PaymentState> {
  return toPaymentState(
    parseStripeObject(paymentIntent, await account.call((stripe) => stripe.paymentIntents.retrieve(id))),
  );
}

function toPaymentState(intent: PaymentIntent): PaymentState {
  const { id, status, amount_received: amount, currency, last_payment_error: error } = intent;
  if (status === 'succeeded') return { state: 'paid', providerNo: id, amount, currency: currency.toUpperCase() };
  if (status === 'canceled') return { state: 'closed' };
  // The intent was confirmed when it was opened, so this status means that the payment failed.
  if (status === 'requires_payment_method')
    return { state: 'failed', reason: sanitizeVendorMessage(error?.message ?? 'The payment failed', []) };
  return PENDING;
}
