/** What holds for orders holds with each kind of gateway. */

import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import type { NotificationEvent } from '@switchyard/contract/operations/notifications';
import { afterAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { startMoneyScene, toOrderId } from '../../testing/payment-server-scene.ts';
import { scriptedTypes } from '../../testing/scripted-payment-providers/start-scripted-provider.ts';
import type { Reply } from '../../testing/simulated-vendor.ts';
import type { OrderRow } from './order-rows.ts';
import { pollOrders, pollRefunds } from './orders.ts';
import { deductRefund } from './refund-bookkeeping.ts';

const USD = 500_000;

describe.each(scriptedTypes)('%s', async (type) => {
  const scene = await startMoneyScene(type);
  afterAll(async () => {
    expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
    await scene.close();
  });
  const { vendor, gateway, root } = scene;
  const refund = async (order: { id: number }, body: object = {}) => {
    await root.api(profile).stepUp({ body: { password: root.password } });
    return root.api(orders).refund({ params: { id: toOrderId(order) }, body: { reason: 'As agreed', ...body } });
  };

  const listenTo = (event: NotificationEvent) =>
    scene.ctx.db.writer
      .insertInto('destination')
      .values({
        user_id: null,
        type: 'slack',
        name: 'Team',
        config_sealed: '',
        events: JSON.stringify([event]),
        enabled: 1,
        off_reason: '',
        failing_since: null,
        created_time: 0,
      })
      .execute();
  const alertsOf = async (event: NotificationEvent): Promise<string[]> => {
    const rows = await scene.ctx.db.writer.selectFrom('delivery').select('text').where('event', '=', event).execute();
    return rows.map(({ text }) => text);
  };

  test('its configuration passes its own test, and no secret is returned', async () => {
    expect(await root.api(paymentProviders).test({ params: { id: gateway.id } })).toEqual({ ok: true, reason: '' });
    const shown = JSON.stringify(await root.api(paymentProviders).get({ params: { id: gateway.id } }));
    const secrets = Object.keys(gateway.secrets).map((name) => vendor.config[name] ?? '');
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of secrets.filter((text) => text !== '')) expect(shown).not.toContain(secret);
  });

  test('credits a payment from a webhook event once', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    const deliveries = await vendor.sendWebhook(order.trade_no, { copies: 20 });
    expect(deliveries.every(({ wasAcknowledged }) => wasAcknowledged)).toBe(true);
    expect(await scene.row(order)).toMatchObject({ status: 'success', review: '' });
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test('credits a payment without a webhook event by polling', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    scene.clock.advance(40);
    await pollOrders(scene.ctx);
    expect(await scene.row(order)).toMatchObject({ status: 'success', review: '' });
    await vendor.sendWebhook(order.trade_no);
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test.each(['pending', 'closed'] as const)(
    'credits a %s order whose payment was refunded before it was known, or marks it for review',
    async (status) => {
      const buyer = await scene.createUser('user');
      const order = await scene.paidOrder(buyer);
      // Epay only refunds whole payments.
      vendor.refundAtDesk(order.trade_no, type === 'epay' ? order.order_amount : 100);
      await scene.ctx.db.writer.updateTable('payment_order').set({ status }).where('id', '=', order.id).execute();
      scene.clock.advance(40);
      await pollOrders(scene.ctx);
      const isSilent = type === 'epay' || type === 'wxpay';
      const failed = { status: status === 'closed' ? 'closed' : 'failed', review: 'refunded-before-credit' };
      expect(await scene.row(order)).toMatchObject(isSilent ? failed : { status: 'success', review: '' });
      if (!isSilent) return;
      const seen = await root.api(orders).get({ params: { id: toOrderId(order) } });
      const detail = expect.stringMatching(/: 73\.00 CNY as \d+, expected 73\.00 CNY$/);
      expect(seen.events).toContainEqual(expect.objectContaining({ event: 'parked', detail }));
      await vendor.sendWebhook(order.trade_no);
      expect(await scene.row(order)).toMatchObject(failed);
      await root.api(orders).resolve({ params: { id: toOrderId(order) }, body: { reason: 'Seen' } });
      await vendor.sendWebhook(order.trade_no);
      expect(await scene.row(order)).toMatchObject({ ...failed, review: '' });
      expect(await scene.balance(buyer)).toBe(0);
    },
  );

  test('closes an unpaid order, at the payment provider too', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.order(buyer);
    for (let hours = 0; hours < 2; hours += 1) {
      scene.clock.advance(3_601);
      await pollOrders(scene.ctx);
    }
    expect(await scene.row(order)).toMatchObject({ status: 'closed' });
    expect(await scene.balance(buyer)).toBe(0);
  });

  // Epay has no call that opens an order; the others are alike.
  describe.runIf(type === 'stripe')('an order that is being opened', () => {
    /** Holds the first call that opens an order at the provider, until `release`. @param reply absent: the real one */
    const holdOpening = (reply?: Reply) => {
      const [arrival, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      vendor.overrideReply('POST /v1/checkout/sessions', async (request, original) => {
        vendor.resetReplies();
        arrival.resolve();
        await release.promise;
        return reply ?? original(request);
      });
      return { arrived: arrival.promise, release: release.resolve };
    };
    const call = (idempotencyKey: string) => ({ body: { uuid: gateway.uuid, amount: 10 }, idempotencyKey });
    const listOrders = async (buyer: SignedInUser) => (await buyer.api(orders).listOwn()).data;

    test('stays open when a repetition has opened it and the first attempt fails', async () => {
      const buyer = await scene.createUser('user');
      const held = holdOpening({ status: 400, json: { error: { type: 'invalid_request_error', message: 'Refused' } } });
      const first = buyer.api(orders).create(call('opened-twice'));
      await held.arrived;
      const { trade_no } = await buyer.api(orders).create(call('opened-twice'));
      held.release();
      await expect(first).rejects.toMatchObject({ code: 'upstream-failed' });
      const order = await buyer.api(orders).getOwn({ params: { trade_no } });
      expect(order).toMatchObject({ status: 'pending', payment: { type: 'page' } });
      vendor.pay(trade_no);
      await vendor.sendWebhook(trade_no);
      expect(await scene.balance(buyer)).toBe(10 * USD);
    });

    test('credits a buyer who closes it meanwhile and pays, without a webhook event', async () => {
      const buyer = await scene.createUser('user');
      const held = holdOpening();
      const created = buyer.api(orders).create(call('closed-meanwhile'));
      await held.arrived;
      const [{ trade_no } = expect.fail('no order')] = await listOrders(buyer);
      await buyer.api(orders).closeOwn({ params: { trade_no } });
      held.release();
      await expect(created).rejects.toMatchObject({ code: 'conflict' });
      vendor.pay(trade_no);
      scene.clock.advance(40);
      await pollOrders(scene.ctx);
      expect(await listOrders(buyer)).toEqual([expect.objectContaining({ status: 'success' })]);
      expect(await scene.balance(buyer)).toBe(10 * USD);
    });
  });

  test('its whole refund takes all points and sends all money, once', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    await vendor.sendWebhook(order.trade_no);
    await refund(order);
    for (let tries = 0; tries < 3; tries += 1) await vendor.sendWebhook(order.trade_no);
    await expect.poll(async () => (await scene.row(order)).status).toBe('refunded');
    expect(vendor.orders.get(order.trade_no)?.refunds.map(({ amount }) => amount)).toEqual([order.order_amount]);
    expect(await scene.balance(buyer)).toBe(0);
  });

  test('its refunds in parts take their share of the points, or nothing where it makes none', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    await vendor.sendWebhook(order.trade_no);
    await refund(order, { amount: 3 });
    await refund(order, { amount: 2 });
    // Epay's protocol has no number for a refund, so that a part could be sent twice.
    const parts = type === 'epay' ? [] : [300, 200];
    expect(vendor.orders.get(order.trade_no)?.refunds.map(({ amount }) => amount)).toEqual(parts);
    const back = parts.reduce((sum, amount) => sum + amount, 0);
    expect(await scene.balance(buyer)).toBe(10 * USD - Math.floor((10 * USD * back) / order.order_amount));
  });

  /** A refund of everything whose points are taken, and whose request got lost. */
  const loseRefund = async (order: OrderRow) => {
    const id = newRequestId();
    const amount = order.order_amount;
    const lost = { id, amount, state: 'pending', reason: '', by: null, mayOverdraw: true, nextPollTime: 0 } as const;
    await scene.ctx.ledger.transaction((trx, moves) => deductRefund(scene.ctx, trx, moves, order, lost));
  };
  // Epay's protocol has no event of a refund.
  const reportsRefunds = type !== 'epay';

  test('a refund at its own desk while one of ours is pending leaves the buyer the money alone', async () => {
    const buyer = await scene.createUser('user');
    const { trade_no, ...order } = await scene.paidOrder(buyer);
    await vendor.sendWebhook(trade_no);
    await loseRefund(await scene.row(order));
    vendor.refundAtDesk(trade_no, order.order_amount);
    if (reportsRefunds) await vendor.sendWebhook(trade_no, { kind: 'refunded' });
    await pollRefunds(scene.ctx);
    expect(await scene.row(order)).toMatchObject({
      status: 'refunded',
      refunded_amount: order.order_amount,
      review: reportsRefunds ? 'over-refunded' : '',
    });
    expect(vendor.orders.get(trade_no)?.refunds).toHaveLength(1);
    expect(await scene.balance(buyer)).toBe(0);
  });

  test('a refund at its own desk of which no event comes does not give the points of ours back', async () => {
    const buyer = await scene.createUser('user');
    const { trade_no, ...order } = await scene.paidOrder(buyer);
    await vendor.sendWebhook(trade_no);
    await loseRefund(await scene.row(order));
    vendor.refundAtDesk(trade_no, order.order_amount);
    await pollRefunds(scene.ctx);
    const isListed = type === 'stripe' || type === 'epay';
    expect(await scene.row(order)).toMatchObject(
      isListed ? { status: 'refunded' } : { status: 'success', review: 'refund-unclear' },
    );
    expect(await scene.balance(buyer)).toBe(0);
    if (reportsRefunds) await vendor.sendWebhook(trade_no, { kind: 'refunded' });
    scene.clock.advance(60);
    await pollRefunds(scene.ctx);
    expect(await scene.row(order)).toMatchObject({ status: 'refunded', refunded_amount: order.order_amount });
    const pending = await scene.ctx.db.writer
      .selectFrom('order_refund')
      .select('id')
      .where('order_id', '=', order.id)
      .where('state', '=', 'pending')
      .execute();
    expect(pending).toEqual([]);
    expect(await scene.balance(buyer)).toBe(0);
  });

  // Alipay sends refunds that a bank refuses to the buyer's balance; Epay's protocol has no failed refund.
  const refundsFail = type === 'stripe' || type === 'wxpay';

  test.runIf(refundsFail)('a refund that fails after it was made gives the points back, once', async () => {
    const buyer = await scene.createUser('user');
    const { trade_no, ...order } = await scene.paidOrder(buyer);
    await vendor.sendWebhook(trade_no);
    await refund(order);
    expect(await scene.row(order)).toMatchObject({ status: 'refunded' });
    const vendorRefund = vendor.orders.get(trade_no)?.refunds[0] ?? expect.fail('no refund');
    const [refundWebhook = expect.fail('no webhook event')] = vendor.buildWebhooks(trade_no, 'refunded');
    vendorRefund.status = 'failed';
    await listenTo('site-refund-failed');
    await vendor.sendWebhook(trade_no, { kind: 'refunded', copies: 2 });
    // An older event that comes late.
    await vendor.sendWebhook(trade_no, { mutate: () => refundWebhook });
    expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_amount: 0, refunded_quota: 0 });
    expect(await scene.balance(buyer)).toBe(10 * USD);
    expect(await alertsOf('site-refund-failed')).toEqual([expect.stringContaining(trade_no)]);
    // It can be refunded again.
    await refund(order);
    expect(await scene.row(order)).toMatchObject({ status: 'refunded', refunded_quota: 10 * USD });
    expect(await scene.balance(buyer)).toBe(0);
  });

  test.runIf(type === 'wxpay')(
    'marks a refund whose money the provider holds, without returning its points',
    async () => {
      const buyer = await scene.createUser('user');
      const { trade_no, ...order } = await scene.paidOrder(buyer);
      await vendor.sendWebhook(trade_no);
      await loseRefund(await scene.row(order));
      const { id } = await scene.ctx.db.writer
        .selectFrom('order_refund')
        .select('id')
        .where('order_id', '=', order.id)
        .executeTakeFirstOrThrow();
      vendor.delayRefunds(true);
      await pollRefunds(scene.ctx);
      vendor.delayRefunds(false);
      const refund = vendor.orders.get(trade_no)?.refunds[0] ?? expect.fail('no refund');
      expect(refund.refundNo).toBe(id);
      refund.status = 'abnormal';
      await vendor.sendWebhook(trade_no, { kind: 'refunded', copies: 2 });
      scene.clock.advance(60);
      await pollRefunds(scene.ctx);
      expect(await scene.row(order)).toMatchObject({ status: 'success', review: 'refund-unclear' });
      expect((await scene.events(order)).filter((event) => event === 'parked')).toHaveLength(1);
      expect(await scene.balance(buyer)).toBe(0);
      refund.status = 'succeeded';
      await vendor.sendWebhook(trade_no, { kind: 'refunded' });
      expect(await scene.row(order)).toMatchObject({ status: 'refunded', refunded_quota: 10 * USD });
      expect(await scene.balance(buyer)).toBe(0);
    },
  );

  test.runIf(type === 'wxpay')('ignores that money was held when the refund has been made since', async () => {
    const buyer = await scene.createUser('user');
    const { trade_no, ...order } = await scene.paidOrder(buyer);
    await vendor.sendWebhook(trade_no);
    await refund(order);
    const vendorRefund = vendor.orders.get(trade_no)?.refunds[0] ?? expect.fail('no refund');
    vendorRefund.status = 'abnormal';
    const [held = expect.fail('no webhook event')] = vendor.buildWebhooks(trade_no, 'refunded');
    vendorRefund.status = 'succeeded';
    await vendor.sendWebhook(trade_no, { mutate: () => held });
    expect(await scene.row(order)).toMatchObject({ status: 'refunded', review: '' });
  });

  // A dispute's evidence is part of each of its events: up to 150,000 characters in fields of up to 20,000.
  // https://docs.stripe.com/api/disputes/update
  test.runIf(type === 'stripe')('reads the events of a dispute with as much evidence as Stripe takes', async () => {
    const buyer = await scene.createUser('user');
    const { trade_no, order_amount } = await scene.paidOrder(buyer);
    await vendor.sendWebhook(trade_no);
    const fields = ['access_activity_log', 'cancellation_policy_disclosure', 'cancellation_rebuttal'];
    const others = ['duplicate_charge_explanation', 'product_description', 'refund_policy_disclosure'];
    const names = [...fields, ...others, 'refund_refusal_explanation', 'uncategorized_text'];
    const evidence = Object.fromEntries(names.map((name) => [name, '証'.repeat(18_750)]));
    const sendDispute = (step: string, status: string): Promise<Response> => {
      const payment_intent = vendor.orders.get(trade_no)?.paymentNo;
      const object = { id: 'dp_long', object: 'dispute', amount: order_amount, currency: 'usd', payment_intent };
      const { method, headers, body } = vendor.forgeWebhook(trade_no, (event) => ({
        ...event,
        type: `charge.dispute.${step}`,
        data: { object: { ...object, status, evidence } },
      }));
      return fetch(gateway.notify_url, { method, headers, body });
    };
    expect((await sendDispute('funds_withdrawn', 'under_review')).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(0);
    expect((await sendDispute('closed', 'won')).status).toBe(200);
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test('credits nothing for a webhook event with a foreign or missing signature', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    for (const key of ['other', 'empty'] as const) {
      const { method, url, headers, body } = vendor.forgeWebhook(order.trade_no, (fields) => fields, key);
      const target = `${gateway.notify_url}${new URL(url).search}`;
      const answer = await fetch(target, { method, headers, ...(method === 'POST' ? { body } : {}) });
      expect(answer.status).toBeLessThan(500);
    }
    expect(await scene.row(order)).toMatchObject({ status: 'pending', review: '' });
    expect(await scene.balance(buyer)).toBe(0);
  });

  test('credits nothing for a webhook event that is replayed after a refund', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    const [webhook] = vendor.buildWebhooks(order.trade_no, 'paid');
    await vendor.sendWebhook(order.trade_no);
    await refund(order);
    await vendor.sendWebhook(order.trade_no, { mutate: () => webhook ?? expect.fail('no webhook event') });
    await expect.poll(async () => (await scene.row(order)).status).toBe('refunded');
    expect(await scene.balance(buyer)).toBe(0);
  });

  test('without its secret it is not there', async () => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    await scene.ctx.db.writer.updateTable('processor').set({ secrets_sealed: '' }).execute();
    const [delivery] = await vendor.sendWebhook(order.trade_no, { tries: 1 });
    expect(delivery?.responses.map(({ status }) => status)).toEqual([404]);
    expect(await scene.balance(buyer)).toBe(0);
    const without = Object.fromEntries(Object.keys(gateway.secrets).map((name) => [name, '']));
    const form = { type, name: 'Without', currency: vendor.currency, sandbox: vendor.sandbox };
    await root.api(profile).stepUp({ body: { password: root.password } });
    await expect(
      root.api(paymentProviders).create({ body: { ...form, config: { ...vendor.config, ...without } } }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
  });
});
