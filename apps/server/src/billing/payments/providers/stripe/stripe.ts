/**
 * Stripe: https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/api/payment_intents and
 * https://docs.stripe.com/webhooks. A payment's number is that of its payment intent, whichever way it was made.
 */
import type { Stripe } from 'stripe';
import {
  ConfigRefused,
  type Processor,
  type ProcessorConfig,
  type ProcessorDefinition,
  type ProcessorWorld,
} from '../../payment-provider.ts';
import { type StripeAccount, stripeAccount } from './stripe-account.ts';
import { stripeEvents, verifiedEvent } from './stripe-event.ts';
import { readStripeEvent } from './stripe-notice.ts';
import { stripeRefunds } from './stripe-refunds.ts';
import { byCheckout, byIntent } from './ways-to-pay.ts';

/** Version of the API in which the events arrive; `stripe-event.ts` reads them. */
const apiVersion: typeof Stripe.API_VERSION = '2026-10-28.endive';

export const stripe: ProcessorDefinition = {
  connect(config, world) {
    const account = stripeAccount(secretKeyOf(config, world), world);
    const secret = config['webhook_secret'] ?? '';
    if (secret === '') throw new ConfigRefused('webhook_secret', 'webhook_secret is missing');
    const { clock, sandbox } = world;
    return {
      ...waysToPay(config, account, world),
      ...stripeRefunds(account),
      async readNotice(notice) {
        const event = await verifiedEvent(notice, { secret, sandbox, now: clock.now() });
        return event === undefined ? undefined : readStripeEvent(event, account);
      },
      // Any other status than 2xx has it sent again.
      answerTo: (taken) => ({
        status: taken ? 200 : 400,
        contentType: 'text/plain',
        body: taken ? 'ok' : 'rejected',
      }),
      async test() {
        await account.call((client) => client.balance.retrieve());
      },
    };
  },
  async setUpNotices(config, world) {
    const secretKey = secretKeyOf(config, world);
    if ((config['webhook_secret'] ?? '') !== '') return {};
    if (world.notifyUrl === '')
      throw new ConfigRefused('webhook_secret', 'Stripe requires a public URL for webhook events');
    return { webhook_secret: await makeEndpoint(stripeAccount(secretKey, world), world.notifyUrl) };
  },
};

/** @throws ConfigRefused when the key is for test money and the gateway for real money, or the other way round */
function secretKeyOf(config: ProcessorConfig, { sandbox }: ProcessorWorld): string {
  const key = config['secret_key'] ?? '';
  const [, mode] = /^[sr]k_(live|test)_/.exec(key) ?? [];
  if (mode === undefined) throw new ConfigRefused('secret_key', 'This is not a Stripe secret key');
  if ((mode === 'test') !== sandbox)
    throw new ConfigRefused(
      'secret_key',
      sandbox ? 'This key is for live mode' : 'This key is for test mode',
    );
  return key;
}

function waysToPay(
  config: ProcessorConfig,
  account: StripeAccount,
  world: ProcessorWorld,
): Pick<Processor, 'open' | 'ask' | 'close'> {
  const checkout = byCheckout(account, world);
  const payType = config['pay_type'];
  const own = payType === 'alipay' || payType === 'wechat_pay' ? byIntent(payType, account) : checkout;
  const intents = byIntent('alipay', account);
  /** An order stays what it was opened as, whatever is configured now. */
  const of = (ref: string) => (ref.startsWith('cs_') ? checkout : intents);
  return {
    open: (order) => own.open(order),
    // Without what Stripe calls it, the buyer was never told how to pay.
    ask: async (order) => (order.ref === '' ? { state: 'unknown' } : of(order.ref).ask(order)),
    close: async (order) => (order.ref === '' ? undefined : of(order.ref).close(order)),
  };
}

/** @returns its secret, which Stripe tells this once. Endpoints of before, whose secrets nobody has, go. */
async function makeEndpoint(account: StripeAccount, url: string): Promise<string> {
  const { data } = await account.call((client) => client.webhookEndpoints.list({ limit: 100 }));
  const { id, secret } = await account.call((client) =>
    client.webhookEndpoints.create({ url, enabled_events: stripeEvents, api_version: apiVersion }),
  );
  for (const older of data.filter((endpoint) => endpoint.url === url && endpoint.id !== id))
    await account.call((client) => client.webhookEndpoints.del(older.id));
  if (secret === undefined) throw new Error('Stripe created a webhook endpoint without a secret');
  return secret;
}
