/** Stripe's objects, with the fields that orders need: https://docs.stripe.com/api */
import { z } from 'zod';

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
  status: z.string().nullable(),
  payment_intent: id.nullable(),
  failure_reason: z.string().nullish(),
  metadata,
});
export type StripeRefund = z.output<typeof stripeRefund>;

export const stripeDispute = z.object({
  id,
  amount,
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
