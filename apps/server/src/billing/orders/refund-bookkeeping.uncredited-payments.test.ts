/** Refunds and disputes of payments that were not credited, for each payment provider. */
import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import { afterAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { startMoneyScene, toOrderId } from '../../testing/payment-server-scene.ts';
import { scriptedTypes } from '../../testing/scripted-payment-providers/start-scripted-provider.ts';
import type { OrderRow } from './order-rows.ts';
import { applyPayment, applyWebhookEvent, completeOrder } from './order-states.ts';
import { resolveReview } from './payment-review.ts';

const USD = 500_000;
const credits = [
  'the payment itself',
  'staff, for a bank transfer',
  'staff, and the review has ended',
  'an earlier payment',
] as const;
/** Kinds of events that a provider sends about money that went back. */
const kinds = { stripe: ['refund', 'partial refund', 'dispute'], alipay: ['refund', 'partial refund'] } as const;

describe.each(scriptedTypes)('%s', async (type) => {
  const scene = await startMoneyScene(type);
  const { vendor, root, ctx } = scene;
  afterAll(async () => {
    expect((await verifyLedger(ctx.db.reader)).problems).toEqual([]);
    await scene.close();
  });
  const by = { by: root.id, reason: 'Received by bank transfer' };

  /** Creates an order whose payment at the provider is reported after the order was credited. */
  async function orderCreditedBy(credit: (typeof credits)[number]) {
    const buyer = await scene.createUser('user');
    const order = await scene.order(buyer);
    const payment = { amount: order.order_amount, currency: order.currency };
    const providerNo = `earlier-${order.id}`;
    if (credit === 'an earlier payment') await applyPayment(ctx, order.id, { providerNo, ...payment });
    else if (credit !== 'the payment itself') await completeOrder(ctx, order.id, by);
    vendor.pay(order.trade_no);
    await vendor.sendWebhook(order.trade_no);
    const review = credit === 'the payment itself' ? '' : 'paid-twice';
    expect(await scene.row(order)).toMatchObject({ status: 'success', review });
    if (credit === 'staff, and the review has ended') await resolveReview(ctx, order.id, by);
    expect(await scene.balance(buyer)).toBe(10 * USD);
    return { buyer, order };
  }

  async function giveBack({ trade_no, order_amount }: OrderRow, kind: string): Promise<void> {
    if (kind === 'dispute') vendor.dispute(trade_no, order_amount);
    else vendor.refundAtDesk(trade_no, kind === 'refund' ? order_amount : order_amount / 2);
    await vendor.sendWebhook(trade_no, { kind: kind === 'dispute' ? 'disputed' : 'refunded', copies: 2 });
  }

  const reported = type === 'epay' ? [] : kinds[type === 'stripe' ? 'stripe' : 'alipay'];
  const cases = reported.flatMap((kind) => credits.map((credit) => ({ kind, credit })));
  test.runIf(cases.length > 0).for(cases)(
    'deducts a $kind of the payment only if it was credited, in an order credited by $credit',
    async ({ kind, credit }) => {
      const { buyer, order } = await orderCreditedBy(credit);
      await giveBack(order, kind);
      const isCredited = credit === 'the payment itself';
      const left = kind === 'partial refund' ? 5 * USD : 0;
      expect(await scene.balance(buyer)).toBe(isCredited ? left : 10 * USD);
      const events = await scene.events(order);
      expect(events.filter((event) => event === 'not-deducted')).toHaveLength(isCredited ? 0 : 1);
      expect(events).toContain(kind === 'dispute' ? 'disputed' : 'refunded');
      if (isCredited) return;
      expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_amount: 0, refunded_quota: 0 });
      // The credited payment can still be refunded.
      await root.api(profile).stepUp({ body: { password: root.password } });
      const body = { reason: 'As agreed', outside: true };
      await root.api(orders).refund({ params: { id: toOrderId(order) }, body });
      expect(await scene.row(order)).toMatchObject({ status: 'refunded' });
      expect(await scene.balance(buyer)).toBe(0);
    },
  );

  test('refuses to refund a payment through the gateway that was not credited', async () => {
    const { buyer, order } = await orderCreditedBy('staff, for a bank transfer');
    await root.api(profile).stepUp({ body: { password: root.password } });
    const refund = root.api(orders).refund({ params: { id: toOrderId(order) }, body: { reason: 'Paid twice' } });
    await expect(refund).rejects.toMatchObject({ code: 'conflict' });
    expect(vendor.orders.get(order.trade_no)?.refunds).toEqual([]);
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });
});

describe('an order with two payments', async () => {
  const scene = await startMoneyScene('stripe');
  const { ctx, root } = scene;
  afterAll(() => scene.close());
  const by = { by: root.id, reason: 'Seen' };

  async function newOrder() {
    const buyer = await scene.createUser('user');
    const order = await scene.order(buyer);
    const { trade_no: tradeNo, order_amount: amount, currency } = order;
    const refunded = (paymentNo: string | undefined) =>
      applyWebhookEvent(ctx, order, {
        what: 'refunded',
        tradeNo,
        refundNo: '',
        providerRefundNo: `re_${order.id}`,
        amount,
        paymentNo,
      });
    return { buyer, order, refunded, payment: { providerNo: `pi_${order.id}`, amount, currency } };
  }

  test('returns the points of a refund whose payment is reported later, and was not credited', async () => {
    const { buyer, order, refunded, payment } = await newOrder();
    await completeOrder(ctx, order.id, by);
    await refunded(payment.providerNo);
    expect(await scene.balance(buyer)).toBe(0);
    await applyPayment(ctx, order.id, payment);
    expect(await scene.row(order)).toMatchObject({ status: 'success', review: 'paid-after-refund', refunded_quota: 0 });
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test('ignores the refund of an unsuitable payment when staff confirms another payment', async () => {
    const { buyer, order, refunded, payment } = await newOrder();
    await applyPayment(ctx, order.id, { ...payment, amount: payment.amount - 1 });
    await refunded(payment.providerNo);
    await completeOrder(ctx, order.id, by);
    expect(await scene.row(order)).toMatchObject({ status: 'success', processor_no: null, refunded_quota: 0 });
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test('credits the payment under review if staff completes its order, so that its refund deducts points', async () => {
    const { buyer, order, refunded, payment } = await newOrder();
    await applyPayment(ctx, order.id, { ...payment, amount: payment.amount - 1 });
    await completeOrder(ctx, order.id, by);
    expect(await scene.row(order)).toMatchObject({ processor_no: payment.providerNo, review: '' });
    await refunded(payment.providerNo);
    expect(await scene.balance(buyer)).toBe(0);
  });

  test.each([undefined, 'pi_never_reported'])(
    'deducts the refund of the unknown payment %s of an order that staff completed',
    async (paymentNo) => {
      const { buyer, order, refunded } = await newOrder();
      await completeOrder(ctx, order.id, by);
      await refunded(paymentNo);
      expect(await scene.balance(buyer)).toBe(0);
    },
  );

  test('does not credit a payment under review to another order', async () => {
    const [first, second] = [await newOrder(), await newOrder()];
    await completeOrder(ctx, first.order.id, by);
    await applyPayment(ctx, first.order.id, first.payment);
    await applyPayment(ctx, second.order.id, first.payment);
    expect(await scene.row(second.order)).toMatchObject({ status: 'pending', review: 'payment-reused' });
  });
});
