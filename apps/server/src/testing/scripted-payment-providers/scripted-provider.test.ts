/** The scripted payment providers behave like the real ones: pages that pay, and webhooks until one is acknowledged. */
import { afterAll, describe, expect, it } from 'vitest';
import { startTestVendor, type VendorRequest } from '../simulated-vendor.ts';
import { createPaymentScene, type PaymentScene } from './payment-scene.ts';
import type { ScriptedProvider } from './scripted-provider.ts';
import { startScriptedProvider } from './start-scripted-provider.ts';

/** Receives webhook events as the server does. */
const received: VendorRequest[] = [];
let deaf = 0;
const answerTo = (vendor: ScriptedProvider, taken: boolean) =>
  vendor.type === 'stripe' || vendor.type === 'wxpay'
    ? { status: taken ? 200 : 500, text: '' }
    : { text: taken ? 'success' : 'fail' };
let playing: ScriptedProvider | undefined;
const server = await startTestVendor({}, (request) => {
  received.push(request);
  deaf -= 1;
  return playing === undefined ? { status: 404 } : answerTo(playing, deaf < 0);
});
afterAll(() => server.close());

for (const type of ['stripe', 'alipay', 'wxpay', 'epay'] as const) {
  describe(type, async () => {
    const vendor = await startScriptedProvider(type);
    const scene = await createPaymentScene(vendor, `${server.url}/notify`);
    afterAll(() => scene.close());
    const begin = (times: number): void => {
      playing = vendor;
      received.length = 0;
      deaf = times;
    };

    it('has a page with a button that pays, sends the webhook event and leads back', async () => {
      begin(1);
      const { order, url } = await openPage(scene, type === 'wxpay' ? { pay_type: 'H5' } : {});
      const shown = await fetch(url.address, url.init);
      const page = await shown.text();
      expect(page).toContain('<button>Pay</button>');
      const action = new URL(/action="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#38;', '&') ?? '', shown.url);
      const form = { method: 'POST', body: new URLSearchParams({ scripted_trade_no: order.tradeNo }) };
      const paid = await (await fetch(action, form)).text();
      expect(paid).toContain(order.returnUrl.replaceAll('&', '&#38;'));
      expect(vendor.orders.get(order.tradeNo)?.status).toBe('paid');
      // The first webhook event was rejected, so it was sent again.
      const webhooks = vendor.buildWebhooks(order.tradeNo).length;
      await until(() => received.length >= webhooks + 1);
      begin(0);
      vendor.dropWebhooks(true);
      const second = await openPage(scene, type === 'wxpay' ? { pay_type: 'H5' } : {});
      await fetch(second.url.address, second.url.init);
      vendor.pay(second.order.tradeNo);
      vendor.dropWebhooks(false);
      expect(received).toEqual([]);
    });

    it('sends copies, late ones and changed ones, in another order too, and gives up after some tries', async () => {
      const { order, url } = await openPage(scene, type === 'wxpay' ? { pay_type: 'H5' } : {});
      await fetch(url.address, url.init);
      vendor.pay(order.tradeNo);
      const webhooks = vendor.buildWebhooks(order.tradeNo).length;
      begin(0);
      const copies = await vendor.sendWebhook(order.tradeNo, { copies: 5, delayMs: 1 });
      expect(copies).toHaveLength(5 * webhooks);
      expect(copies.every(({ wasAcknowledged, responses }) => wasAcknowledged && responses.length === 1)).toBe(true);
      begin(1000);
      const [unheard] = await vendor.sendWebhook(order.tradeNo, { tries: 2 });
      expect(unheard).toMatchObject({ wasAcknowledged: false, responses: [{}, {}] });
      begin(0);
      vendor.holdWebhooks();
      const change = (mark: string) => (webhook: { url: string }) => `${webhook.url.replace(/\?.*/, '')}/${mark}`;
      const sent = ['first', 'second'].map((mark) =>
        vendor.sendWebhook(order.tradeNo, { mutate: (webhook) => ({ ...webhook, url: change(mark)(webhook) }) }),
      );
      expect(received).toEqual([]);
      await vendor.releaseWebhooks('reversed');
      await Promise.all(sent);
      expect(received[0]?.target).toContain('/second');
      expect(received.at(-1)?.target).toContain('/first');
    });
  });
}

async function openPage(scene: PaymentScene, changes: Record<string, string>) {
  const order = scene.newOrder();
  const { paymentMethod } = await (await scene.connect(changes)).openOrder(order);
  if (paymentMethod.kind !== 'page') throw new Error('There is no page');
  const { origin } = new URL(paymentMethod.url);
  const address = paymentMethod.url.replace(origin, scene.vendor.originOverrides[origin] ?? origin);
  const init =
    paymentMethod.method === 'POST' ? { method: 'POST', body: new URLSearchParams(paymentMethod.params) } : {};
  return { order, url: { address, init } };
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 5 }).toBe(true);
}
