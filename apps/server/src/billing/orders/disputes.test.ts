import { afterAll, expect, test } from 'vitest';
import { startMoneyScene } from '../../testing/payment-server-scene.ts';

const scene = await startMoneyScene('stripe');
afterAll(() => scene.close());

test.each([
  ['dispute', 'usd', 250, 0.25],
  ['dispute', 'jpy', 250, 1],
  ['dispute', 'eur', 1_000_000, 1],
  ['refund', 'usd', 250, 0.25],
  ['refund', 'jpy', 250, 1],
])(
  'a %s in %s of %d minor units takes its share of the order, all of it if the currency is another',
  async (...how) => {
    const [kind, currency, amount, share] = how;
    const { vendor, gateway } = scene;
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer, 10);
    await vendor.sendWebhook(order.trade_no);
    const before = await scene.balance(buyer);
    const row = await scene.row(order);
    expect(row).toMatchObject({ currency: 'USD', order_amount: 1_000 });
    const payment_intent = vendor.orders.get(order.trade_no)?.paymentNo;
    const status = kind === 'dispute' ? 'needs_response' : 'succeeded';
    const object = { id: `re_${order.id}`, object: kind, amount, currency, payment_intent, status, metadata: {} };
    const type = kind === 'dispute' ? 'charge.dispute.created' : 'refund.created';
    const { method, headers, body } = vendor.forgeWebhook(order.trade_no, (event) => ({
      ...event,
      type,
      data: { object },
    }));
    expect((await fetch(gateway.notify_url, { method, headers, body })).status).toBe(200);
    expect(before - (await scene.balance(buyer))).toBe(row.quota * share);
  },
);
