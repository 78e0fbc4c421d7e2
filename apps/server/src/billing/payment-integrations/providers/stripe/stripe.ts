/**
 * Stripe: https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/api/payment_intents and
 * https://docs.stripe.com/webhooks. A payment's number is the id of its payment intent, for every payment method.
 */

import type { Stripe } from 'stripe';
import {
  InvalidConfigError,
  type PaidOrder,
  type PaymentProviderClient,
  type PaymentProviderDefinition,
  type ProviderConfig,
  type ProviderEnvironment,
  type Refund,
  type RefundState,
} from '../../payment-provider.ts';
import { createCheckoutFlow, createIntentFlow } from './payment-flows.ts';
import {
  createStripeAccount,
  parseStripeObject,
  type StripeAccount,
  type StripeRefund,
  stripeEventTypes,
  stripeRefund,
} from './stripe-api.ts';
import { describeRefundFailure, listRefunds, listStripeMoneyBack } from './stripe-refunds-and-disputes.ts';
import { readStripeEvent, verifyStripeEvent } from './stripe-webhook.ts';

/** API version of the events; `stripe-api.ts` describes them. */
const apiVersion: typeof Stripe.API_VERSION = '2026-10-28.endive';

export const stripe: PaymentProviderDefinition = {
  connect(config, environment) {
    const account = createStripeAccount(readSecretKey(config, environment), environment);
    const secret = config['webhook_secret'] ?? '';
    if (secret === '') throw new InvalidConfigError('webhook_secret', 'webhook_secret is missing');
    const { clock, sandbox } = environment;
    return {
      ...createPaymentFlows(config, account, environment),
      ...createStripeRefunds(account),
      async readWebhook(webhook) {
        const event = await verifyStripeEvent(webhook, { secret, sandbox, now: clock.now() });
        return event === undefined ? undefined : readStripeEvent(event, account);
      },
      // Stripe sends the event again after any status but 2xx.
      respondToWebhook: (taken) => ({
        status: taken ? 200 : 400,
        contentType: 'text/plain',
        body: taken ? 'ok' : 'rejected',
      }),
      async test() {
        await account.call((client) => client.balance.retrieve());
      },
    };
  },
  async setUpWebhooks(config, environment) {
    const secretKey = readSecretKey(config, environment);
    if ((config['webhook_secret'] ?? '') !== '') return {};
    if (environment.notifyUrl === '')
      throw new InvalidConfigError('webhook_secret', 'Stripe requires a public URL for webhook events');
    return {
      webhook_secret: await createWebhookEndpoint(createStripeAccount(secretKey, environment), environment.notifyUrl),
    };
  },
};

/** @throws InvalidConfigError when a test key is configured for live mode, or the other way round */
function readSecretKey(config: ProviderConfig, { sandbox }: ProviderEnvironment): string {
  const key = config['secret_key'] ?? '';
  const [, mode] = /^[sr]k_(live|test)_/.exec(key) ?? [];
  if (mode === undefined) throw new InvalidConfigError('secret_key', 'This is not a Stripe secret key');
  if ((mode === 'test') !== sandbox)
    throw new InvalidConfigError('secret_key', sandbox ? 'This key is for live mode' : 'This key is for test mode');
  return key;
}

function createPaymentFlows(
  config: ProviderConfig,
  account: StripeAccount,
  environment: ProviderEnvironment,
): Pick<PaymentProviderClient, 'openOrder' | 'pollOrder' | 'closeOrder'> {
  const checkout = createCheckoutFlow(account, environment);
  const payType = config['pay_type'];
  const own = payType === 'alipay' || payType === 'wechat_pay' ? createIntentFlow(payType, account) : checkout;
  const intents = createIntentFlow('alipay', account);
  /** An order keeps the flow by which it was opened, whatever is configured now. */
  const of = (ref: string) => (ref.startsWith('cs_') ? checkout : intents);
  return {
    openOrder: (order) => own.openOrder(order),
    // Without a reference the buyer never got a payment method.
    pollOrder: async (order) => (order.ref === '' ? { state: 'unknown' } : of(order.ref).pollOrder(order)),
    closeOrder: async (order) => (order.ref === '' ? undefined : of(order.ref).closeOrder(order)),
  };
}

/** @returns its secret, which Stripe reveals only once. Older endpoints, whose secrets are lost, are deleted. */
async function createWebhookEndpoint(account: StripeAccount, url: string): Promise<string> {
  const { data } = await account.call((client) => client.webhookEndpoints.list({ limit: 100 }));
  const { id, secret } = await account.call((client) =>
    client.webhookEndpoints.create({ url, enabled_events: stripeEventTypes, api_version: apiVersion }),
  );
  for (const older of data.filter((endpoint) => endpoint.url === url && endpoint.id !== id))
    await account.call((client) => client.webhookEndpoints.del(older.id));
  if (secret === undefined) throw new Error('Stripe created a webhook endpoint without a secret');
  return secret;
}

function createStripeRefunds(
  account: StripeAccount,
): Pick<PaymentProviderClient, 'refund' | 'pollRefund' | 'listReportedRefunds'> {
  const pollRefund = async (order: PaidOrder, { refundNo }: Refund): Promise<RefundState> => {
    const refunds = await listRefunds(account, order);
    const refund = refunds.find(({ metadata }) => metadata?.['refund_no'] === refundNo);
    return refund === undefined ? { state: 'unknown' } : toRefundState(refund);
  };
  return {
    pollRefund,
    listReportedRefunds: (order) => listStripeMoneyBack(account, order),
    async refund(order, refund) {
      // Stripe deletes idempotency keys after a day.
      const before = await pollRefund(order, refund);
      if (before.state !== 'unknown') return before;
      const { refundNo, amount } = refund;
      const metadata = { refund_no: refundNo, trade_no: order.tradeNo };
      const created = await account.call((stripe) =>
        stripe.refunds.create({ payment_intent: order.providerNo, amount, metadata }, { idempotencyKey: refundNo }),
      );
      return toRefundState(parseStripeObject(stripeRefund, created));
    },
  };
}

function toRefundState(refund: StripeRefund): RefundState {
  const { id: providerNo, status } = refund;
  if (status === 'succeeded') return { state: 'done', providerNo };
  const reason = describeRefundFailure(refund);
  return reason === undefined ? { state: 'pending' } : { state: 'failed', reason, providerNo };
}
