/** Stripe's SDK on the outbound fetch. It is large, and loaded when the first account is used. */
import type { Stripe } from 'stripe';
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
