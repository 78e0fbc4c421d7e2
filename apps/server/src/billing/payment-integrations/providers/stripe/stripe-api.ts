/**
 * Stripe's SDK on the outbound fetch, and the objects and events that orders need: https://docs.stripe.com/api. The SDK
 * is large, and loaded when the first account is used.
 */
import type { Stripe } from 'stripe';
import { z } from 'zod';
import { PaymentProviderError, type ProviderEnvironment } from '../../payment-provider.ts';
import { sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';

export interface StripeAccount {
  /** @throws PaymentProviderError when Stripe refuses; any other error without a clear response */
  call<T>(job: (stripe: Stripe) => Promise<T>): Promise<T>;
}

/** Final refusals. 409 means a concurrent call, 429 too many calls. */
const finalStatuses = new Set([400, 401, 402, 403, 404]);
const DEADLINE_MS = 10_000;

export function createStripeAccount(secretKey: string, environment: ProviderEnvironment): StripeAccount {
  let client: Promise<Stripe> | undefined;
  const load = async (): Promise<Stripe> => {
    const { Stripe } = await import('stripe');
    return new Stripe(secretKey, {
      httpClient: Stripe.createFetchHttpClient((url, init) =>
        environment.fetch(url instanceof Request ? url.url : url, init),
      ),
      maxNetworkRetries: 1,
      timeout: DEADLINE_MS,
      telemetry: false,
    });
  };
  return {
    async call(job) {
      client ??= load();
      const stripe = await client;
      try {
        return await job(stripe);
      } catch (error) {
        const { StripeError, StripeIdempotencyError } = stripe.errors;
        if (!(error instanceof StripeError) || error instanceof StripeIdempotencyError) throw error;
        if (!finalStatuses.has(error.statusCode ?? 0)) throw error;
        throw new PaymentProviderError(sanitizeVendorMessage(error.message, [secretKey]));
      }
    },
  };
}

const metadata = z.record(z.string(), z.string()).nullish();
const amount = z.int().min(0);
const currency = z.string().regex(/^[a-z]{3}$/);
const id = z.string().min(1).max(255);

export const checkoutSession = z.object({
  id,
  client_reference_id: z.string().nullable(),
  payment_intent: id.nullable(),
  payment_status: z.string(),
  status: z.string().nullable(),
  amount_total: amount.nullable(),
  currency: currency.nullable(),
  metadata,
});
export type CheckoutSession = z.output<typeof checkoutSession>;

export const paymentIntent = z.object({
  id,
  status: z.string(),
  amount_received: amount,
  currency,
  metadata,
  last_payment_error: z.object({ message: z.string().optional() }).nullish(),
});
export type PaymentIntent = z.output<typeof paymentIntent>;

export const stripeRefund = z.object({
  id,
  amount,
  currency,
  status: z.string().nullable(),
  payment_intent: id.nullable(),
  failure_reason: z.string().nullish(),
  metadata,
});
export type StripeRefund = z.output<typeof stripeRefund>;

export const stripeDispute = z.object({
  id,
  amount,
  /** That of the buyer's bank, which may not be the one of the payment. */
  currency,
  status: z.string(),
  payment_intent: id.nullable(),
  /** Money that the dispute withdrew, negative, or that came back, in the currency of the account. */
  balance_transactions: z.array(z.object({ amount: z.int() })).default([]),
});
export type StripeDispute = z.output<typeof stripeDispute>;

/**
 * Validates an object of the SDK, whose types are not checked at run time.
 * @throws Error when the object has another form
 */
export function parseStripeObject<S extends z.ZodType>(schema: S, object: unknown): z.output<S> {
  const read = schema.safeParse(object);
  if (!read.success) throw new Error('Stripe returned a response in an undocumented format');
  return read.data;
}

const checkoutEvents = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
] as const;
const intentEvents = ['payment_intent.succeeded', 'payment_intent.payment_failed'] as const;
const refundEvents = [
  'refund.created',
  'refund.updated',
  // Also after a refund succeeded: the buyer's bank may return the money within weeks.
  'refund.failed',
] as const;
const disputeEvents = [
  'charge.dispute.created',
  // An inquiry withdraws no money; when it becomes a dispute, this event follows.
  'charge.dispute.funds_withdrawn',
  'charge.dispute.closed',
] as const;

/** Types of events that the webhook endpoint subscribes to. */
export const stripeEventTypes = [...checkoutEvents, ...intentEvents, ...refundEvents, ...disputeEvents];

const eventSchema = <T extends z.ZodType, const N extends readonly string[]>(types: N, object: T) =>
  z.object({ type: z.enum(types), data: z.object({ object }) });
export const knownEvent = z.discriminatedUnion('type', [
  eventSchema(checkoutEvents, checkoutSession),
  eventSchema(intentEvents, paymentIntent),
  eventSchema(refundEvents, stripeRefund),
  eventSchema(disputeEvents, stripeDispute),
]);
export type StripeEvent = z.output<typeof knownEvent>;
