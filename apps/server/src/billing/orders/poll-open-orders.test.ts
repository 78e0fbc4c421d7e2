import { createServer } from 'node:http';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import type { Context } from '../../context.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { startMoneyScene } from '../../testing/payment-server-scene.ts';
import type { Reply } from '../../testing/simulated-vendor.ts';
import type { OrderRow } from './order-rows.ts';
import { pollOrders, pollRefunds } from './orders.ts';
import { deductRefund } from './refund-bookkeeping.ts';

const scene = await startMoneyScene();
afterAll(async () => {
  expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  await scene.close();
});
const { vendor } = scene;
const USD = 500_000;

test('orders of a hanging payment provider do not delay others', async () => {
  let requestCount = 0;
  const hanging = createServer((_request, response) => {
    requestCount += 1;
    // Advances the clock by the deadline instead of waiting for it.
    scene.clock.advance(10);
    response.destroy();
  });
  const pay_domain = `http://127.0.0.1:${await listen(hanging)}`;
  const { uuid } = await scene.root
    .api(paymentProviders)
    .create({ body: { type: 'epay', name: 'Hanging', currency: 'CNY', config: { ...vendor.config, pay_domain } } });
  const many = await scene.createUser('user');
  for (let count = 0; count < 12; count += 1) await many.api(orders).create({ body: { uuid, amount: 1 } });
  const order = await scene.paidOrder(await scene.createUser('user'));
  scene.clock.advance(31);
  await pollOrders(scene.ctx);
  hanging.close();
  expect(await scene.row(order)).toMatchObject({ status: 'success' });
  expect(requestCount).toBeLessThan(6);
});

describe('a poll that is skipped because its payment provider is slow', () => {
  const pollSlowly = async (poll: (ctx: Context) => Promise<void>): Promise<void> => {
    let elapsed = 0;
    const slow = vi.spyOn(scene.ctx.clock, 'elapsed').mockImplementation(() => (elapsed += 6_000));
    await poll(scene.ctx);
    slow.mockRestore();
    scene.clock.advance(61);
    for (let runs = 0; runs < 3; runs += 1) await poll(scene.ctx);
  };

  test('leaves an order its last late poll', async () => {
    const buyer = await scene.createUser('user');
    const paid: OrderRow[] = [];
    for (let count = 0; count < 12; count += 1) paid.push(await scene.paidOrder(buyer));
    const ids = paid.map(({ id }) => id);
    const ended = nowSeconds(scene.clock) - 86_400;
    await scene.ctx.db.writer
      .updateTable('payment_order')
      .set({ status: 'closed', next_ask_time: 0, expires_time: ended })
      .where('id', 'in', ids)
      .execute();
    await pollSlowly(pollOrders);
    const rows = await Promise.all(paid.map((order) => scene.row(order)));
    expect(rows.map(({ status, asks }) => `${status} ${asks}`)).toEqual(ids.map(() => 'success 1'));
  });

  test('advances no try of a refund', async () => {
    const buyer = await scene.createUser('user');
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const order = await scene.paidOrder(buyer);
      await vendor.sendWebhook(order.trade_no);
      const id = `skipped-${order.id}`;
      ids.push(id);
      const refund = { id, amount: order.order_amount, state: 'pending', reason: '', by: null } as const;
      await scene.ctx.ledger.transaction((trx, moves) =>
        deductRefund(scene.ctx, trx, moves, order, { ...refund, mayOverdraw: false, nextPollTime: 0 }),
      );
    }
    await pollSlowly(pollRefunds);
    const rows = await scene.ctx.db.writer.selectFrom('order_refund').selectAll().where('id', 'in', ids).execute();
    expect(rows.map(({ state, tries }) => `${state} ${tries}`)).toEqual(ids.map(() => 'done 1'));
  });
});

describe('a refund that two nodes send', () => {
  afterEach(() => vendor.resetReplies());
  const refusal = { json: { code: -1, msg: '余额不足' } };

  async function beginRefund() {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    await vendor.sendWebhook(order.trade_no);
    const id = `raced-${order.id}`;
    const refund = { id, amount: order.order_amount, state: 'pending', reason: '', by: null } as const;
    await scene.ctx.ledger.transaction((trx, moves) =>
      deductRefund(scene.ctx, trx, moves, order, { ...refund, mayOverdraw: false, nextPollTime: 0 }),
    );
    const row = () =>
      scene.ctx.db.writer.selectFrom('order_refund').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return { buyer, order, row, refunds: () => vendor.orders.get(order.trade_no)?.refunds ?? expect.fail('no order') };
  }

  /**
   * Holds the first call at the provider, a question or a refund, until a second attempt has ended, whose refund gets
   * the response `second`.
   */
  async function pollTwice(held: 'GET' | 'POST', second: Reply, first?: Reply): Promise<void> {
    const [arrival, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHeld = false;
    for (const method of ['GET', 'POST'])
      vendor.overrideReply(`${method} /api.php`, async (request, original) => {
        if (method === held && !isHeld) {
          isHeld = true;
          arrival.resolve();
          await release.promise;
          return first ?? original(request);
        }
        return method === 'POST' ? second : original(request);
      });
    const polled = pollRefunds(scene.ctx);
    await arrival.promise;
    await scene.ctx.db.writer
      .updateTable('order_refund')
      .set({ next_ask_time: 0 })
      .where('state', '=', 'pending')
      .execute();
    await pollRefunds(scene.ctx);
    vendor.resetReplies();
    release.resolve();
    await polled;
  }

  test('polls the payment provider on one of them', async () => {
    const { row } = await beginRefund();
    const calls = vendor.asked.length;
    await Promise.all([pollRefunds(scene.ctx), pollRefunds(scene.ctx)]);
    expect(vendor.asked.slice(calls)).toEqual(['GET /api.php', 'POST /api.php']);
    expect(await row()).toMatchObject({ state: 'done', tries: 1 });
  });

  test('stays unsent by one node after another has reversed it', async () => {
    const { buyer, refunds } = await beginRefund();
    await pollTwice('GET', refusal);
    expect(refunds()).toEqual([]);
    expect(await scene.balance(buyer)).toBe(10 * USD);
  });

  test('deducts the points when one makes it after the other gave it up', async () => {
    const { buyer, order, refunds } = await beginRefund();
    await pollTwice('POST', refusal);
    expect(refunds()).toHaveLength(1);
    expect(await scene.balance(buyer)).toBe(0);
    expect(await scene.row(order)).toMatchObject({ status: 'refunded', refunded_amount: order.order_amount });
    expect(await scene.events(order)).toEqual(['created', 'opened', 'paid', 'refund-failed', 'refunded']);
  });

  test('stays pending when one is refused after the other has sent it again', async () => {
    const { buyer, order, row, refunds } = await beginRefund();
    await pollTwice('POST', 'hang-up', refusal);
    expect(await row()).toMatchObject({ state: 'pending', tries: 2, next_ask_time: expect.any(Number) });
    expect(await scene.balance(buyer)).toBe(0);
    scene.clock.advance(400);
    await pollRefunds(scene.ctx);
    expect(refunds()).toHaveLength(1);
    expect(await scene.row(order)).toMatchObject({ status: 'refunded' });
    expect(await scene.balance(buyer)).toBe(0);
  });
});

test('credits an order without a webhook event when its payment provider is polled', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  scene.clock.advance(31);
  await pollOrders(scene.ctx);
  expect(await scene.row(order)).toMatchObject({ status: 'success', next_ask_time: null });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('an unpaid order is closed when its time is over, and still credited when it is paid late', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  for (let hours = 0; hours < 2; hours += 1) {
    scene.clock.advance(3_601);
    await pollOrders(scene.ctx);
  }
  expect(await scene.row(order)).toMatchObject({ status: 'closed', payment: null });
  vendor.pay(order.trade_no);
  scene.clock.advance(21_600);
  await pollOrders(scene.ctx);
  expect(await scene.row(order)).toMatchObject({ status: 'success' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
  expect(await scene.events(order)).toEqual(['created', 'opened', 'closed', 'paid-late']);
});

test.each([
  [23, ''],
  [25, 'paid-late'],
])('credits an order that is paid %i hours after its end, with the review %j', async (hours, review) => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  scene.clock.advance(3_601);
  await pollOrders(scene.ctx);
  expect(await scene.row(order)).toMatchObject({ status: 'closed' });
  scene.clock.advance(hours * 3_600);
  vendor.pay(order.trade_no);
  for (let copies = 0; copies < 2; copies += 1) await vendor.sendWebhook(order.trade_no);
  expect(await scene.row(order)).toMatchObject({ status: 'success', review });
  expect(await scene.balance(buyer)).toBe(10 * USD);
  const events = ['created', 'opened', 'closed', 'paid-late'];
  expect(await scene.events(order)).toEqual(review === '' ? events : [...events, 'parked']);
});

test('polls a payment provider with growing intervals, and stops in the end', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  let asks = 0;
  for (let minutes = 0; minutes < 60 * 30; minutes += 5) {
    scene.clock.advance(300);
    await pollOrders(scene.ctx);
    asks = (await scene.row(order)).asks;
  }
  expect(await scene.row(order)).toMatchObject({ status: 'closed', next_ask_time: null });
  expect(asks).toBeLessThan(20);
});

test('an order does not stay open forever because its payment gateway was deleted', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  for (let days = 0; days < 5; days += 1) {
    vendor.loseResponses(10);
    await pollOrders(scene.ctx);
    expect((await scene.row(order)).status).toBe(days < 4 ? 'pending' : 'closed');
    scene.clock.advance(86_400);
  }
  vendor.loseResponses(0);
  await vendor.sendWebhook(order.trade_no);
  expect(await scene.row(order)).toMatchObject({ status: 'success' });
});
