/** Verifies and reads events that Stripe sends: https://docs.stripe.com/webhooks */
import { z } from 'zod';
import { InvalidWebhookError, type WebhookEvent, type WebhookRequest } from '../../payment-provider.ts';
import { sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';
import {
  type CheckoutSession,
  knownEvent,
  type PaymentIntent,
  type StripeAccount,
  type StripeDispute,
  type StripeEvent,
  type StripeRefund,
  stripeEventTypes,
} from './stripe-api.ts';
import {
  describeRefundFailure,
  parseDisputeStatus,
  toReportedDispute,
  toReportedRefund,
} from './stripe-refunds-and-disputes.ts';

/** Maximum seconds between signature and arrival. */
const TOLERANCE = 300;

const anyEvent = z.object({ object: z.literal('event'), type: z.string(), livemode: z.boolean() });

/**
 * Verifies an event over the received bytes: https://docs.stripe.com/webhooks/signature
 * @param now UTC milliseconds
 * @returns undefined for a type of event that the gateway doesn't use
 * @throws InvalidWebhookError
 */
export async function verifyStripeEvent(
  { method, headers, body }: WebhookRequest,
  { secret, sandbox, now }: { secret: string; sandbox: boolean; now: number },
): Promise<StripeEvent | undefined> {
  if (method !== 'POST') throw new InvalidWebhookError('The request method is not POST');
  const event = await verifySignature(body, headers['stripe-signature'] ?? '', secret, now);
  const envelope = anyEvent.safeParse(event);
  if (!envelope.success) throw new InvalidWebhookError('The signed content is not an event');
  if (envelope.data.livemode === sandbox)
    throw new InvalidWebhookError(sandbox ? 'The event is from live mode' : 'The event is from test mode');
  if (!stripeEventTypes.some((type) => type === envelope.data.type)) return undefined;
  const known = knownEvent.safeParse(event);
  if (!known.success) throw new InvalidWebhookError(`The ${envelope.data.type} event has an undocumented format`);
  return known.data;
}

async function verifySignature(body: Buffer, header: string, secret: string, now: number): Promise<unknown> {
  const { Stripe } = await import('stripe');
  try {
    // As text: given bytes, the SDK would leave a byte order mark unverified.
    return Stripe.webhooks.constructEvent(body.toString('utf8'), header, secret, TOLERANCE, undefined, now);
  } catch (error) {
    const reason = error instanceof Stripe.errors.StripeSignatureVerificationError ? 'signature' : 'format';
    throw new InvalidWebhookError(`The ${reason} of the event is invalid`);
  }
}

/**
 * Reads an event; undefined for events that do not concern orders, and for payments of other users of the same
 * account.
 */
export async function readStripeEvent(event: StripeEvent, account: StripeAccount): Promise<WebhookEvent | undefined> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readPaidSession(event.data.object);
    case 'checkout.session.async_payment_failed':
      return readEndedSession(event.data.object, 'failed', 'The payment failed');
    case 'checkout.session.expired':
      return readEndedSession(event.data.object, 'closed', 'The Stripe Checkout page has expired');
    case 'payment_intent.succeeded':
      return readPaidIntent(event.data.object);
    case 'payment_intent.payment_failed':
      return readFailedIntent(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(event.data.object, account);
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.closed': {
      const { payment_intent: intent } = event.data.object;
      const what = readDisputeStep(event.type, event.data.object);
      const tradeNo = what === undefined ? undefined : await findTradeNo(intent, account);
      return what === undefined || tradeNo === undefined
        ? undefined
        : { what, ...toReportedDispute(event.data.object, tradeNo) };
    }
  }
}

/** Reads a completed session. With some payment methods the money arrives days after the page is completed. */
function readPaidSession(session: CheckoutSession): WebhookEvent | undefined {
  const tradeNo = readSessionTradeNo(session);
  if (tradeNo === undefined || session.payment_status !== 'paid') return undefined;
  const { payment_intent: providerNo, amount_total: amount, currency } = session;
  if (providerNo === null || amount === null || currency === null)
    throw new InvalidWebhookError('The event reports a payment without its number, amount or currency');
  return { what: 'paid', tradeNo, providerNo, amount, currency: currency.toUpperCase() };
}

function readPaidIntent({ id, status, amount_received: amount, currency, metadata }: PaymentIntent) {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo === undefined || status !== 'succeeded') return undefined;
  return { what: 'paid' as const, tradeNo, providerNo: id, amount, currency: currency.toUpperCase() };
}

/**
 * Returns the failure event of a payment intent; undefined for a checkout session, on whose page the buyer can try
 * again. A QR code or a redirect works once.
 */
function readFailedIntent({ metadata, last_payment_error: error }: PaymentIntent): WebhookEvent | undefined {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo === undefined || metadata?.['pay_type'] === 'checkout') return undefined;
  return { what: 'failed', tradeNo, reason: sanitizeVendorMessage(error?.message ?? 'The payment failed', []) };
}

function readEndedSession(
  session: CheckoutSession,
  what: 'failed' | 'closed',
  reason: string,
): WebhookEvent | undefined {
  const tradeNo = readSessionTradeNo(session);
  return tradeNo === undefined ? undefined : { what, tradeNo, reason };
}

/** @throws InvalidWebhookError when its two places contain different numbers */
function readSessionTradeNo({ client_reference_id: reference, metadata }: CheckoutSession): string | undefined {
  const tradeNo = metadata?.['trade_no'];
  if (tradeNo !== undefined && tradeNo !== reference)
    throw new InvalidWebhookError('The event names two different orders');
  return tradeNo;
}

async function readRefund(refund: StripeRefund, account: StripeAccount): Promise<WebhookEvent | undefined> {
  const reason = describeRefundFailure(refund);
  if (refund.status !== 'succeeded' && reason === undefined) return undefined;
  const tradeNo = await findTradeNo(refund.payment_intent, account);
  if (tradeNo === undefined) return undefined;
  const facts = toReportedRefund(refund, tradeNo);
  return reason === undefined ? { what: 'refunded', ...facts } : { what: 'refund-failed', ...facts, reason };
}

function readDisputeStep(type: string, dispute: StripeDispute): ReturnType<typeof parseDisputeStatus> {
  const step = parseDisputeStatus(dispute);
  if (type === 'charge.dispute.funds_withdrawn')
    return dispute.status === 'prevented' ? (step ?? 'dispute-lost') : 'disputed';
  return type === 'charge.dispute.closed' && step === 'disputed' ? undefined : step;
}

/** Finds the order of a refund or dispute, which only names the payment. */
async function findTradeNo(intent: string | null, account: StripeAccount): Promise<string | undefined> {
  if (intent === null) return undefined;
  const { metadata } = await account.call((stripe) => stripe.paymentIntents.retrieve(intent));
  return metadata['trade_no'];
}
