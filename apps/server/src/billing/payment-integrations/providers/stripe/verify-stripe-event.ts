/** Verifies events over the received bytes: https://docs.stripe.com/webhooks/signature */
import { z } from 'zod';
import { InvalidWebhookError, type WebhookRequest } from '../../payment-provider.ts';
import { knownEvent, type StripeEvent, stripeEventTypes } from './stripe-api.ts';

/** Maximum seconds between signature and arrival. */
const TOLERANCE = 300;

const anyEvent = z.object({ object: z.literal('event'), type: z.string(), livemode: z.boolean() });

/**
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
