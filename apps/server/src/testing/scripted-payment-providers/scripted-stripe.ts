/** Simulates Stripe as https://docs.stripe.com/api describes it, with pages that pay. Its SDK signs the events. */
import { randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import { type Reply, startTestVendor, type VendorRequest } from '../simulated-vendor.ts';
import { renderCashierPage, renderRefusalPage, renderReturnPage } from './cashier-pages.ts';
import type { ScriptedOptions, ScriptedProvider, SentWebhook, SigningKey, WebhookFields } from './scripted-provider.ts';
import { createVendorCore } from './scripted-provider-core.ts';
import { createStripeApi, createStripeOrders } from './scripted-stripe-api.ts';
import { buildEvents } from './scripted-stripe-objects.ts';

export async function startScriptedStripe({ now = Date.now }: ScriptedOptions = {}): Promise<ScriptedProvider> {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const secrets: Record<SigningKey, string> = { true: secret(), other: secret(), empty: '' };
  const endpoints = new Map<string, { url: string; secret: string }>();
  let [url, toldAt, numbers] = ['', '', 0];
  const number = (prefix: string): string => `${prefix}_${String((numbers += 1)).padStart(14, '0')}`;
  const seconds = (): number => Math.floor(now() / 1000);

  const signed = (event: WebhookFields, key: SigningKey = 'true'): SentWebhook => {
    const payload = JSON.stringify(event, null, 2);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: secrets[key], timestamp: seconds() });
    const to = [...endpoints.values()].at(-1)?.url ?? toldAt;
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    return { method: 'POST', url: to, headers, body: payload };
  };
  const eventOf = (type: string, object: WebhookFields): WebhookFields => ({
    id: number('evt'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: seconds(),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });
  const { ledger, withLostResponses, sendWebhooks, createScriptedProvider } = createVendorCore({
    paymentNo: () => number('pi'),
    isAcknowledged: (status) => status >= 200 && status < 300,
    buildWebhooks: (_books, tradeNo, kind) =>
      buildEvents(own.find(tradeNo), kind, url).map(([type, object]) => signed(eventOf(type, object))),
  });
  const own = createStripeOrders(ledger);
  const webhookSecret = secrets.true;
  const api = createStripeApi({
    ledger,
    stripeOrders: own,
    secretKey,
    number,
    seconds,
    url: () => url,
    endpoints,
    webhookSecret,
  });

  const page = ({ method, target }: VendorRequest): Reply => {
    const order = own.findBy(target.replace(/^\/c\/pay\//, ''));
    if (order?.status !== 'open') return renderRefusalPage('This page has expired');
    if (method === 'GET') return renderCashierPage({ ...order, currency: order.currency.toUpperCase() }, target);
    ledger.pay(order.tradeNo);
    sendWebhooks(order.tradeNo);
    return renderReturnPage(order.returnUrl);
  };
  const vendor = await startTestVendor({}, (request) =>
    request.target.startsWith('/c/pay/') ? page(request) : withLostResponses(api(request)),
  );
  url = vendor.url;

  return createScriptedProvider(vendor, {
    type: 'stripe',
    config: { secret_key: secretKey, webhook_secret: '', pay_type: 'checkout' },
    originOverrides: { 'https://api.stripe.com': url },
    currency: 'USD',
    sandbox: true,
    setNotifyUrl(address) {
      toldAt = address;
    },
    forgeWebhook(tradeNo, change, key) {
      const [type = '', object = {}] = buildEvents(own.find(tradeNo), 'paid', url)[0] ?? [];
      return signed(change(eventOf(type, object)), key);
    },
  });
}

function secret(): string {
  return `whsec_${randomBytes(16).toString('hex')}`;
}
