import { profile } from '@switchyard/contract/accounts/profile';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { afterAll, expect, test, vi } from 'vitest';
import { userGroupRoutes } from '../../accounts/user-groups/routes.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { startMoneyScene, toOrderId } from '../../testing/payment-server-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes } from '../../testing/start-feature-app.ts';
import { applyPayment } from './order-states.ts';
import { canBuyerPoll, pollOrderNow } from './poll-open-orders.ts';

const scene = await startMoneyScene('epay', {}, [serveRoutes(userGroups, userGroupRoutes)]);
afterAll(async () => {
  expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  await scene.close();
});
const { vendor, gateway, root } = scene;
const USD = 500_000;

test('an order is stored with its exact cost before it can be paid', async () => {
  const buyer = await scene.createUser('user');
  await setOptions(scene.ctx, { RechargeDiscount: '{"50":0.9}', PaymentUSDRate: '7.31' });
  const created = await buyer.api(orders).create({ body: { uuid: gateway.uuid, amount: 50 } });
  expect(created).toMatchObject({ type: 'page', data: { method: 'POST', params: { money: '328.95' } } });
  const [listed] = (await buyer.api(orders).listOwn()).data;
  expect(listed).toMatchObject({
    trade_no: created.trade_no,
    status: 'pending',
    amount: 50,
    quota: 50 * USD,
    discount: 5,
    fee: 0,
    order_amount: 328.95,
    order_currency: 'CNY',
  });
  expect(await scene.events({ id: listed?.id ?? 0 })).toEqual(['created', 'opened']);
});

test.each([0, -5, 1.5, 1_000_001, Number.NaN, '10', null])('rejects an order of %s USD', async (amount) => {
  const buyer = await scene.createUser('user');
  const response = await buyer.fetch('/api/user/order', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uuid: gateway.uuid, amount }),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid-input', fields: [{ path: 'amount' }] });
  expect((await buyer.api(orders).listOwn()).total_count).toBe(0);
});

test.each([
  ['1', 1, 1],
  ['1000000000', 1_000_000, 1_000_000_000_000_000],
])('credits an order exactly at %s points per USD', async (QuotaPerUnit, amount, points) => {
  const buyer = await scene.createUser('user');
  await setOptions(scene.ctx, { QuotaPerUnit });
  const order = await scene.paidOrder(buyer, amount);
  await setOptions(scene.ctx, { QuotaPerUnit: String(USD) });
  expect(order.quota).toBe(points);
  await pollOrderNow(scene.ctx, order, null);
  expect(await scene.row(order)).toMatchObject({ status: 'success' });
  expect(await scene.balance(buyer)).toBe(points);
});

test('rejects an order below the minimum, or with an unknown or disabled gateway', async () => {
  const buyer = await scene.createUser('user');
  await setOptions(scene.ctx, { PaymentMinAmount: '5' });
  const order = (uuid: string, amount: number) => buyer.api(orders).create({ body: { uuid, amount } });
  await expect(order(gateway.uuid, 4)).rejects.toMatchObject({
    code: 'invalid-input',
    fields: [{ path: 'amount', rule: 'below-minimum' }],
  });
  await setOptions(scene.ctx, { PaymentMinAmount: '1' });
  await expect(order('nothing-like-it', 10)).rejects.toMatchObject({ code: 'not-found' });
  await root.api(paymentProviders).update({ body: { id: gateway.id, enable: false } });
  await expect(order(gateway.uuid, 10)).rejects.toMatchObject({ code: 'not-found' });
  expect(await buyer.api(orders).offers()).toEqual([]);
  await root.api(paymentProviders).update({ body: { id: gateway.id, enable: true } });
  expect((await buyer.api(orders).listOwn()).total_count).toBe(0);
});

test('the same Idempotency-Key makes one order', async () => {
  const buyer = await scene.createUser('user');
  const send = () =>
    buyer.fetch('/api/user/order', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'pressed twice'.replace(' ', '-') },
      body: JSON.stringify({ uuid: gateway.uuid, amount: 10 }),
    });
  const [one, two] = [await (await send()).json(), await (await send()).json()];
  expect(two).toEqual(one);
  expect((await buyer.api(orders).listOwn()).total_count).toBe(1);
});

test('a paid order is not opened again, even by repeated requests', async () => {
  const buyer = await scene.createUser('user');
  const call = { body: { uuid: gateway.uuid, amount: 10 }, idempotencyKey: 'asked-again' };
  const { trade_no, data } = await buyer.api(orders).create(call);
  await fetch(data.url, { method: 'POST', body: new URLSearchParams(data.params) });
  vendor.pay(trade_no);
  await vendor.sendWebhook(trade_no);
  await expect(buyer.api(orders).create(call)).rejects.toMatchObject({
    code: 'conflict',
    message: `Order ${trade_no} is already paid, and its points are credited. There is nothing left to pay.`,
  });
  const { id } = await buyer.api(orders).getOwn({ params: { trade_no } });
  expect(await scene.events({ id })).toEqual(['created', 'opened', 'paid']);
});

test('a payment of another gateway by the same account is heard, once, and credits nothing', async () => {
  const buyer = await scene.createUser('user');
  const other = await root
    .api(paymentProviders)
    .create({ body: { type: 'epay', name: 'Same account', currency: 'CNY', config: vendor.config } });
  const order = await scene.paidOrder(buyer);
  const [webhook] = vendor.buildWebhooks(order.trade_no);
  const response = await fetch(`${other.notify_url}${new URL(webhook?.url ?? '').search}`);
  await root.api(paymentProviders).remove({ params: { id: other.id } });
  expect(await response.text()).toBe('success');
  expect(await scene.balance(buyer)).toBe(0);
  expect(await scene.row(order)).toMatchObject({ status: 'pending', review: '' });
});

test('an authentic webhook credits the order once, even if repeated, and notifies a waiting client', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  const waiting = buyer
    .api(orders)
    .getOwn({ params: { trade_no: order.trade_no }, query: { while_status: 'pending' } });
  const startedAt = Date.now();
  const deliveries = await vendor.sendWebhook(order.trade_no, { copies: 100 });
  expect(deliveries.every(({ wasAcknowledged }) => wasAcknowledged)).toBe(true);
  expect(await waiting).toMatchObject({ status: 'success', payment: null });
  expect(Date.now() - startedAt).toBeLessThan(5_000);
  expect(await scene.balance(buyer)).toBe(10 * USD);
  expect(await scene.events(order)).toEqual(['created', 'opened', 'paid']);
});

test('a buyer who waits for several orders can still read everything else', async () => {
  const buyer = await scene.createUser('user');
  const numbers: string[] = [];
  for (let nth = 0; nth < 4; nth += 1) numbers.push((await scene.order(buyer)).trade_no);
  const waits = numbers.map((trade_no) =>
    buyer.api(orders).getOwn({ params: { trade_no }, query: { while_status: 'pending' } }),
  );
  const startedAt = Date.now();
  expect((await buyer.api(orders).listOwn()).total_count).toBe(4);
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  for (const trade_no of numbers) await buyer.api(orders).closeOwn({ params: { trade_no } });
  await Promise.all(waits);
});

test('the buyer can have the payment provider polled, other users cannot', async () => {
  const buyer = await scene.createUser('user');
  const stranger = await scene.createUser('user');
  const { trade_no } = await scene.paidOrder(buyer);
  await expect(stranger.api(orders).checkOwn({ params: { trade_no } })).rejects.toMatchObject({ code: 'not-found' });
  expect(await buyer.api(orders).checkOwn({ params: { trade_no } })).toMatchObject({ status: 'success' });
  const old = await buyer.fetch(`/api/user/order/status?trade_no=${trade_no}`);
  expect(await old.json()).toEqual({ success: true, message: '' });
});

test('keeps the timeline of an order short, however often its buyer has it polled', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  for (let times = 0; times < 50; times += 1) await pollOrderNow(scene.ctx, order, null);
  await pollOrderNow(scene.ctx, order, root.id);
  await pollOrderNow(scene.ctx, order, root.id);
  scene.clock.advance(5);
  await buyer.api(orders).checkOwn({ params: { trade_no: order.trade_no } });
  expect(await scene.events(order)).toEqual(['created', 'opened', 'asked', 'asked', 'asked']);
  scene.clock.advance(5);
  const before = nowSeconds(scene.clock);
  await buyer.api(orders).checkOwn({ params: { trade_no: order.trade_no } });
  const { events } = await buyer.api(orders).getOwn({ params: { trade_no: order.trade_no } });
  expect(events).toHaveLength(5);
  expect(events.at(-1)?.created_at).toBeGreaterThanOrEqual(before);
});

test('polls no payment provider for a buyer once the order ended long ago', async () => {
  const order = await scene.order(await scene.createUser('user'));
  expect([29, 31].map((days) => canBuyerPoll(order, order.expires_time + days * 86_400))).toEqual([true, false]);
});

test('reads an order with many events in a short turn', async () => {
  const buyer = await scene.createUser('user');
  const { id, trade_no } = await scene.order(buyer);
  const events = Array.from({ length: 500 }, () => ({
    order_id: id,
    created_time: 1,
    event: 'refund-failed' as const,
    user_id: null,
    detail: '',
  }));
  for (let piece = 0; piece < 20; piece += 1)
    await scene.ctx.db.writer.insertInto('order_event').values(events).execute();
  for (const read of [
    () => buyer.api(orders).getOwn({ params: { trade_no } }),
    () => root.api(orders).get({ params: { id: toOrderId({ id }) } }),
  ]) {
    expect((await read()).events).toHaveLength(200);
    expect(await measureLongestBlockRepeatedly(read)).toBeLessThan(20);
  }
});

test.each([
  ['amount-differs', { amount: 1, currency: 'CNY' }],
  ['currency-differs', { amount: undefined, currency: 'USD' }],
] as const)('a payment of another kind is parked: %s', async (review, { amount, currency }) => {
  const buyer = await scene.createUser('user');
  const order = await scene.order(buyer);
  const facts = { providerNo: `other-${order.id}`, amount: amount ?? order.order_amount, currency };
  for (let times = 0; times < 3; times += 1) await applyPayment(scene.ctx, order.id, facts);
  expect(await scene.row(order)).toMatchObject({ status: 'pending', review });
  expect(await scene.balance(buyer)).toBe(0);
  expect((await scene.events(order)).filter((event) => event === 'parked')).toHaveLength(1);
  const found = await root.api(orders).list({ query: { review: true, trade_no: order.trade_no } });
  expect(found.total_count).toBe(1);
  await root.api(orders).resolve({ params: { id: found.data[0]?.id ?? (0 as never) }, body: { reason: 'seen' } });
  expect((await scene.row(order)).review).toBe('');
});

test('a second payment of one order is parked, and nothing is credited twice', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  await vendor.sendWebhook(order.trade_no);
  await applyPayment(scene.ctx, order.id, { providerNo: 'another', amount: order.order_amount, currency: 'CNY' });
  expect(await scene.row(order)).toMatchObject({ status: 'success', review: 'paid-twice' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('one payment cannot pay two orders', async () => {
  const buyer = await scene.createUser('user');
  const first = await scene.paidOrder(buyer);
  await vendor.sendWebhook(first.trade_no);
  const second = await scene.order(buyer);
  const { processor_no } = await scene.row(first);
  const facts = { providerNo: processor_no ?? '', amount: second.order_amount, currency: 'CNY' };
  await applyPayment(scene.ctx, second.id, facts);
  expect(await scene.row(second)).toMatchObject({ status: 'pending', review: 'payment-reused' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('a payment for a deleted account is parked', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  await buyer.api(profile).stepUp({ body: { password: buyer.password } });
  await buyer.api(profile).remove();
  await vendor.sendWebhook(order.trade_no);
  expect(await scene.row(order)).toMatchObject({ status: 'pending', review: 'account-deleted' });
});

test('an order of one gateway cannot be paid through another', async () => {
  const buyer = await scene.createUser('user');
  const other = await root
    .api(paymentProviders)
    .create({
      body: { type: 'epay', name: 'Other', currency: 'CNY', config: { ...vendor.config, key: 'k'.repeat(32) } },
    });
  const order = await scene.paidOrder(buyer);
  const [webhook] = vendor.buildWebhooks(order.trade_no);
  const { search } = new URL(webhook?.url ?? '');
  const response = await fetch(`${other.notify_url}${search}`);
  expect(await response.text()).toBe('fail');
  await root.api(paymentProviders).remove({ params: { id: other.id } });
  expect(await scene.balance(buyer)).toBe(0);
});

test('a payment counts even if the payment provider has been removed meanwhile', async () => {
  const buyer = await scene.createUser('user');
  const other = await root
    .api(paymentProviders)
    .create({ body: { type: 'epay', name: 'Short-lived', currency: 'CNY', config: vendor.config } });
  const created = await buyer.api(orders).create({ body: { uuid: other.uuid, amount: 3 } });
  await fetch(created.data.url, { method: 'POST', body: new URLSearchParams(created.data.params) });
  vendor.pay(created.trade_no);
  await root.api(paymentProviders).remove({ params: { id: other.id } });
  await vendor.sendWebhook(created.trade_no);
  expect(await scene.balance(buyer)).toBe(3 * USD);
});

test('rejects webhooks to an unknown address, and too large ones', async () => {
  const nobody = await fetch(`${scene.url}/api/payment/notify/0123456789abcdef`);
  expect(nobody.status).toBe(404);
  const large = await fetch(gateway.notify_url, { method: 'POST', body: 'x'.repeat(70_000) });
  expect(large.status).toBe(413);
  const strange = await fetch(gateway.notify_url, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  });
  expect(await strange.text()).toBe('fail');
});

test('staff complete an order with a reason, once', async () => {
  const buyer = await scene.createUser('user');
  const { id } = await scene.order(buyer);
  const complete = () =>
    root.api(orders).complete({ params: { id: id as never }, body: { reason: 'Seen on the bank statement' } });
  expect(await complete()).toMatchObject({ status: 'success' });
  await expect(complete()).rejects.toMatchObject({ code: 'conflict' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
  const { events } = await root.api(orders).get({ params: { id: id as never } });
  expect(events.at(-1)).toMatchObject({
    event: 'completed',
    username: root.username,
    detail: 'Seen on the bank statement',
  });
});

test('staff neither complete nor refund their own orders, or those of their equals', async () => {
  const [one, other] = [await scene.createUser('admin'), await scene.createUser('admin')];
  await other.api(profile).stepUp({ body: { password: other.password } });
  for (const buyer of [one, other]) {
    const call = { params: { id: toOrderId(await scene.order(buyer)) }, body: { reason: 'Trust me' } };
    await expect(other.api(orders).complete(call)).rejects.toMatchObject({ code: 'not-allowed' });
    await root.api(orders).complete(call);
    await expect(other.api(orders).refund(call)).rejects.toMatchObject({ code: 'not-allowed' });
  }
  expect([await scene.balance(one), await scene.balance(other)]).toEqual([10 * USD, 10 * USD]);
});

test('staff do not complete an order of which they would receive a share', async () => {
  await setOptions(scene.ctx, { InviterSharePercent: '10' });
  const [inviter, colleague] = [await scene.createUser('admin'), await scene.createUser('admin')];
  const buyer = await scene.createUser('user');
  await scene.ctx.db.writer.updateTable('user').set({ inviter_id: inviter.id }).where('id', '=', buyer.id).execute();
  const call = { params: { id: toOrderId(await scene.order(buyer)) }, body: { reason: 'Trust me' } };
  await expect(inviter.api(orders).complete(call)).rejects.toMatchObject({ code: 'not-allowed' });
  expect(await scene.balance(inviter)).toBe(0);
  expect(await colleague.api(orders).complete(call)).toMatchObject({ status: 'success' });
  await setOptions(scene.ctx, { InviterSharePercent: '0' });
});

test('top-ups lift a buyer into the group that they reach, and never down', async () => {
  await root.api(userGroups).create({ body: { symbol: 'silver', name: 'Silver', promotion: true, min: 20, max: 99 } });
  await root.api(userGroups).create({ body: { symbol: 'gold', name: 'Gold', promotion: true, min: 100 } });
  const buyer = await scene.createUser('user');
  const groupOf = async () => (await buyer.api(profile).get()).group;
  const topUp = async (amount: number) => {
    const order = await scene.paidOrder(buyer, amount);
    await vendor.sendWebhook(order.trade_no);
  };
  await topUp(10);
  expect(await groupOf()).toBe('default');
  await topUp(10);
  expect(await groupOf()).toBe('silver');
  await topUp(100);
  expect(await groupOf()).toBe('gold');
  const chosen = await scene.createUser('user', { group: 'vip' });
  const order = await scene.paidOrder(chosen, 200);
  await vendor.sendWebhook(order.trade_no);
  expect((await chosen.api(profile).get()).group).toBe('vip');
});

test('publishes a promotion whose commit was uncertain when the payment is reported again', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer, 20);
  const payment = { providerNo: `uncertain-${order.id}`, amount: order.order_amount, currency: order.currency };
  const { ledger, changes } = scene.ctx;
  const commit = ledger.transaction.bind(ledger);
  const uncertain = vi.spyOn(ledger, 'transaction').mockImplementationOnce(async (work) => {
    await commit(work);
    throw new Error('The connection was lost during the commit');
  });
  await expect(applyPayment(scene.ctx, order.id, payment)).rejects.toThrow('lost');
  uncertain.mockRestore();
  const publish = vi.spyOn(changes, 'publish');
  await applyPayment(scene.ctx, order.id, payment);
  expect(publish.mock.calls).toContainEqual([{ topic: 'users', ids: [buyer.id] }]);
  publish.mockRestore();
  expect((await buyer.api(profile).get()).group).toBe('silver');
  expect(await scene.balance(buyer)).toBe(20 * USD);
});
