/** P4: a changed webhook event is refused. Makes at least 500 changes of a genuine one for each payment provider. */
import { describe, expect, it } from 'vitest';
import {
  createProviderClient,
  InvalidWebhookError,
} from '../../apps/server/src/billing/payment-integrations/payment-integrations.ts';
import type { WebhookEvent } from '../../apps/server/src/billing/payment-integrations/payment-provider.ts';
import { startMoneyScene } from '../../apps/server/src/testing/payment-server-scene.ts';
import {
  createPaymentScene,
  type PaymentScene,
} from '../../apps/server/src/testing/scripted-payment-providers/payment-scene.ts';
import {
  type SentWebhook,
  toWebhookRequest,
} from '../../apps/server/src/testing/scripted-payment-providers/scripted-provider.ts';
import { startScriptedProvider } from '../../apps/server/src/testing/scripted-payment-providers/start-scripted-provider.ts';
import { createWebhookMutations } from '../../apps/server/src/testing/scripted-payment-providers/webhook-mutations.ts';
import { reportMeasurement, sampleOf } from '../tier.ts';

const MUTATIONS_MIN = 500;
/** Changed webhook events that a short run also sends to the server. */
const SENT_OVER_HTTP = 100;
const COPIES = 100;
const AT_ONCE = 20;

for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
  describe(`a webhook event of ${type}`, () => {
    it('is refused after any change', async () => {
      const scene = await createPaymentScene(await startScriptedProvider(type));
      try {
        const tradeNo = await paidOrder(scene);
        const [webhook] = scene.vendor.buildWebhooks(tradeNo);
        if (webhook === undefined) throw new Error('There is no webhook event');
        const trueEvent = await scene.provider.readWebhook(toWebhookRequest(webhook));
        expect(trueEvent).toMatchObject({ what: 'paid', tradeNo, amount: 1234 });

        const mutations = createWebhookMutations(scene.vendor, tradeNo);
        const distinct = new Set(mutations.map((mutation) => asText(mutation.webhook)));
        let harmless = 0;
        for (const { name, webhook: changed, harmless: reason } of mutations) {
          const event = await read(scene, changed, name);
          if (event?.what !== 'paid') continue;
          expect(reason, `${name}: ${asText(changed)}`).toBeDefined();
          expect(event, name).toEqual(trueEvent);
          harmless += 1;
        }
        expect(distinct.size).toBeGreaterThanOrEqual(MUTATIONS_MIN);
        expect(await scene.provider.readWebhook(toWebhookRequest(webhook))).toEqual(trueEvent);
        reportMeasurement(
          'P4',
          `${type}: ${distinct.size} changed webhook events, 0 read as another payment, ${harmless} as the same one`,
        );
      } finally {
        await scene.close();
      }
    });
  });
}

it('rejects a payment provider without a secret', async () => {
  const secrets = { stripe: 'webhook_secret', alipay: 'public_key', wxpay: 'mch_apiv3_key', epay: 'key' } as const;
  for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
    const scene = await createPaymentScene(await startScriptedProvider(type));
    const config = { ...scene.vendor.config, webhook_secret: 'whsec_x' };
    for (const empty of ['', ' ', '\n'])
      expect(() => createProviderClient(type, { ...config, [secrets[type]]: empty }, scene.environment)).toThrow(
        secrets[type],
      );
    await scene.close();
  }
});

for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
  it(`${type}, over HTTP: changed events credit nothing and cause no error; ${COPIES} genuine ones at once credit one`, async () => {
    const scene = await startMoneyScene(type);
    try {
      const { vendor, gateway } = scene;
      const buyer = await scene.createUser('user');
      const order = await scene.paidOrder(buyer);
      const all = createWebhookMutations(vendor, order.trade_no).filter(({ harmless }) => harmless === undefined);
      const harmful = sampleOf(all, SENT_OVER_HTTP);
      for (let first = 0; first < harmful.length; first += AT_ONCE) {
        const some = harmful.slice(first, first + AT_ONCE);
        const statuses = await Promise.all(some.map(({ webhook }) => deliver(gateway.notify_url, webhook)));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
      }
      expect(await scene.row(order)).toMatchObject({ status: 'pending', review: '' });
      expect(await scene.balance(buyer)).toBe(0);
      const deliveries = await vendor.sendWebhook(order.trade_no, { copies: COPIES });
      expect(deliveries.every(({ wasAcknowledged }) => wasAcknowledged)).toBe(true);
      expect(await scene.balance(buyer)).toBe(order.quota);
      reportMeasurement(
        'P4',
        `${type} over HTTP: ${harmful.length} changed webhook events, 0 credits, 0 responses of 5xx; ${COPIES} genuine ones at once, 1 credit`,
      );
    } finally {
      await scene.close();
    }
  });
}

/** @returns the response's status; 0 if HTTP cannot carry the event */
async function deliver(notifyUrl: string, { method, url, headers, body }: SentWebhook): Promise<number> {
  try {
    const target = notifyUrl + new URL(url).search;
    const init = method === 'POST' ? { method, headers, body: new Uint8Array(Buffer.from(body)) } : { method, headers };
    const answer = await fetch(target, init);
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    if (error instanceof TypeError) return 0;
    throw error;
  }
}

async function paidOrder(scene: PaymentScene): Promise<string> {
  const { provider, vendor } = scene;
  const order = scene.newOrder();
  const { paymentMethod } = await provider.openOrder(order);
  if (paymentMethod.kind === 'page' && vendor.type !== 'stripe') {
    // The buyer's browser opens the page; the test acts as the provider.
    const { origin } = new URL(paymentMethod.url);
    const url = paymentMethod.url.replace(origin, vendor.originOverrides[origin] ?? origin);
    const form =
      paymentMethod.method === 'POST' ? { method: 'POST', body: new URLSearchParams(paymentMethod.params) } : {};
    await fetch(url, form);
  }
  vendor.pay(order.tradeNo);
  return order.tradeNo;
}

/** Undefined if the event was refused. */
async function read(scene: PaymentScene, webhook: SentWebhook, name: string): Promise<WebhookEvent | undefined> {
  try {
    return await scene.provider.readWebhook(toWebhookRequest(webhook));
  } catch (error) {
    expect(error, name).toBeInstanceOf(InvalidWebhookError);
    return undefined;
  }
}

function asText({ method, url, headers, body }: SentWebhook): string {
  return JSON.stringify([method, url, headers, Buffer.from(body).toString('latin1')]);
}
