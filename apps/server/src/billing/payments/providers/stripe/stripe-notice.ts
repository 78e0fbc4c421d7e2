import { type NoticeEvent, NoticeRefused } from '../../payment-provider.ts';
import { vendorWords } from '../../vendor-words.ts';
import type { StripeAccount } from './stripe-account.ts';
import type { StripeEvent } from './stripe-event.ts';
import { disputeStep, failureOf, refundFacts } from './stripe-money-back.ts';
import type { CheckoutSession, PaymentIntent, StripeRefund } from './stripe-objects.ts';

/** Undefined for what orders do not care about, and for payments of others who use the same account. */
export async function readStripeEvent(
  event: StripeEvent,
  account: StripeAccount,
): Promise<NoticeEvent | undefined> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paidBySession(event.data.object);
    case 'checkout.session.async_payment_failed':
      return ended(event.data.object, 'failed', 'The payment failed');
    case 'checkout.session.expired':
      return ended(event.data.object, 'closed', 'The Stripe Checkout page has expired');
    case 'payment_intent.succeeded':
      return paidByIntent(event.data.object);
    case 'payment_intent.payment_failed':
      return failedIntent(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(event.data.object, account);
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed': {
      const { id, amount, status, payment_intent: intent } = event.data.object;
      const what = stepOf(event.type, status);
      const tradeNo = what === undefined ? undefined : await tradeNoOf(intent, account);
      return what === undefined || tradeNo === undefined
        ? undefined
        : { what, tradeNo, disputeNo: id, amount };
    }
  }
}

/** A page that was gone through is not a payment: with some kinds the money comes days later. */
function paidBySession(session: CheckoutSession): NoticeEvent | undefined {
  const tradeNo = sessionTradeNo(session);
  if (tradeNo === undefined || session.payment_status !== 'paid') return undefined;
  const { payment_intent: processorNo, amount_total: amount, currency } = session;
  if (processorNo === null || amount === null || currency === null)
    throw new NoticeRefused('The event reports a payment without its number, amount or currency');
  return { what: 'paid', tradeNo, processorNo, amount, currency: currency.toUpperCase() };
}

function paidByIntent({ id, status, amount_received: amount, currency, metadata }: PaymentIntent) {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo === undefined || status !== 'succeeded') return undefined;
  return { what: 'paid' as const, tradeNo, processorNo: id, amount, currency: currency.toUpperCase() };
}

/**
 * Returns the failed event of a payment intent; undefined for a checkout session, on whose page the buyer can try
 * again. A code or a redirect works once.
 */
function failedIntent({ metadata, last_payment_error: error }: PaymentIntent): NoticeEvent | undefined {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo === undefined || metadata?.['pay_type'] === 'checkout') return undefined;
  return {
    what: 'failed',
    tradeNo,
    reason: vendorWords(error?.message ?? 'The payment failed', []),
  };
}

function ended(session: CheckoutSession, what: 'failed' | 'closed', reason: string): NoticeEvent | undefined {
  const tradeNo = sessionTradeNo(session);
  return tradeNo === undefined ? undefined : { what, tradeNo, reason };
}

/** @throws NoticeRefused when the two places where it stands differ */
function sessionTradeNo({ client_reference_id: reference, metadata }: CheckoutSession): string | undefined {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo !== undefined && tradeNo !== reference)
    throw new NoticeRefused('The event names two different orders');
  return tradeNo;
}

async function readRefund(refund: StripeRefund, account: StripeAccount): Promise<NoticeEvent | undefined> {
  const reason = failureOf(refund);
  if (refund.status !== 'succeeded' && reason === undefined) return undefined;
  const tradeNo = await tradeNoOf(refund.payment_intent, account);
  if (tradeNo === undefined) return undefined;
  const facts = refundFacts(refund, tradeNo);
  return reason === undefined ? { what: 'refunded', ...facts } : { what: 'refund-failed', ...facts, reason };
}

function stepOf(type: string, status: string): ReturnType<typeof disputeStep> {
  if (type === 'charge.dispute.funds_withdrawn') return 'disputed';
  const step = disputeStep(status);
  return type === 'charge.dispute.closed' && step === 'disputed' ? undefined : step;
}

/** Refunds and disputes only name the payment. */
async function tradeNoOf(intent: string | null, account: StripeAccount): Promise<string | undefined> {
  if (intent === null) return undefined;
  const { metadata } = await account.call((stripe) => stripe.paymentIntents.retrieve(intent));
  return metadata['trade_no'];
}
