import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { startMoneyScene, toOrderId } from '../../testing/payment-server-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import type { Reply } from '../../testing/simulated-vendor.ts';
import type { OrderRow } from './order-rows.ts';
import { applyWebhookEvent } from './order-states.ts';
import { pollRefunds } from './orders.ts';
import { computeRefundPoints, deductRefund } from './refund-bookkeeping.ts';

const scene = await startMoneyScene();
afterAll(async () => {
  expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  await scene.close();
});
const { vendor, root } = scene;
const USD = 500_000;

async function paidOrder(buyer: SignedInUser, amount = 10): Promise<OrderRow> {
  const order = await scene.paidOrder(buyer, amount);
  await vendor.sendWebhook(order.trade_no);
  return scene.row(order);
}
const refund = async (order: { id: number }, body: object = {}) => {
  await root.api(profile).stepUp({ body: { password: root.password } });
  return root.api(orders).refund({ params: { id: toOrderId(order) }, body: { reason: 'As agreed', ...body } });
};
const refundRaw = (order: { id: number }, body: object, headers: Record<string, string> = {}) =>
  root.fetch(`/api/payment/order/${order.id}/refund`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ reason: 'As agreed', ...body }),
  });

test('a refund takes the points, sends the money, and closes the order', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  expect(await refund(order)).toMatchObject({ status: 'refunded', refunded_quota: 10 * USD });
  expect(await scene.balance(buyer)).toBe(0);
  expect(vendor.orders.get(order.trade_no)?.refunds).toHaveLength(1);
  expect(await scene.events(order)).toEqual(['created', 'opened', 'paid', 'refund-begun', 'refunded']);
  await expect(refund(order)).rejects.toMatchObject({ code: 'conflict' });
});

test('partial refunds together take exactly the credited points', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer, 7);
  const part = { outside: true, amount: 17.03 };
  expect(await refund(order, part)).toMatchObject({ status: 'success', refunded_amount: 17.03 });
  expect(await refund(order, part)).toMatchObject({ refunded_amount: 34.06 });
  expect(await scene.balance(buyer)).toBe(7 * USD - Math.floor((7 * USD * 3406) / 5110));
  expect(await refund(order, { outside: true })).toMatchObject({ status: 'refunded', refunded_amount: 51.1 });
  expect(await scene.balance(buyer)).toBe(0);
  expect(vendor.orders.get(order.trade_no)?.refunds).toHaveLength(0);
});

test('all parts of any order together are worth exactly its points, and more than that no more', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 500_000_000_000 }), (amounts, quota) => {
      const order = { quota, order_amount: amounts.reduce((sum, amount) => sum + amount, 0) };
      let [sum, points] = [0, 0];
      for (const amount of amounts) {
        sum += amount;
        expect(computeRefundPoints(order, sum)).toBeGreaterThanOrEqual(points);
        points = computeRefundPoints(order, sum);
      }
      expect([points, computeRefundPoints(order, sum + 1)]).toEqual([quota, quota]);
    }),
  );
});

test.each([
  [0, 400],
  [-1, 400],
  [0.001, 400],
  ['1', 400],
  [10_000, 409],
])('rejects a refund of %s of an order', async (amount, status) => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  expect((await refundRaw(order, { amount })).status).toBe(status);
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('points that are spent are not taken, unless staff accept a debt', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  await scene.ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'adjust', ref: `spend ${buyer.id}`, userId: buyer.id, amount: -4 * USD, note: '' }),
  );
  await expect(refund(order)).rejects.toMatchObject({ code: 'insufficient-balance' });
  expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_amount: 0 });
  await refund(order, { may_leave_debt: true });
  expect(await scene.balance(buyer)).toBe(-4 * USD);
});

test('the same Idempotency-Key refunds once', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  const send = () => refundRaw(order, { amount: 1, outside: true }, { 'idempotency-key': `refund-${order.id}` });
  await send();
  await send();
  expect((await scene.row(order)).refunded_amount).toBe(100);
});

test('a full refund that is sent again is answered again', async () => {
  const order = await paidOrder(await scene.createUser('user'));
  const send = async () => {
    const answer = await refundRaw(order, { outside: true }, { 'idempotency-key': `whole-${order.id}` });
    return answer.json();
  };
  const refunded = { success: true, data: { status: 'refunded', refunded_quota: 10 * USD } };
  expect(await send()).toMatchObject(refunded);
  expect(await send()).toMatchObject(refunded);
});

test('a refund whose answer was lost is sent once and found out later', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  vendor.loseResponses(3);
  expect(await refund(order)).toMatchObject({ status: 'success' });
  expect(await scene.balance(buyer)).toBe(0);
  for (let tries = 0; tries < 4; tries += 1) {
    scene.clock.advance(400);
    await pollRefunds(scene.ctx);
  }
  expect(await scene.row(order)).toMatchObject({ status: 'refunded' });
  expect(vendor.orders.get(order.trade_no)?.refunds).toHaveLength(1);
  expect(await scene.balance(buyer)).toBe(0);
});

test('returns the points when the payment provider rejects the refund', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  // This kind of gateway only sends whole payments back.
  expect(await refund(order, { amount: 1 })).toMatchObject({ status: 'success', refunded_amount: 0 });
  expect(await scene.balance(buyer)).toBe(10 * USD);
  expect((await scene.events(order)).at(-1)).toBe('refund-failed');
});

test('a partial refund stays under review when the provider refuses it and has sent everything back', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  vendor.refundAtDesk(order.trade_no, order.order_amount);
  await refund(order, { amount: 1 });
  for (let tries = 0; tries < 2; tries += 1) {
    scene.clock.advance(400);
    await pollRefunds(scene.ctx);
  }
  expect(await scene.row(order)).toMatchObject({ status: 'success', review: 'refund-unclear' });
  expect((await scene.events(order)).slice(-2)).toEqual(['refund-begun', 'parked']);
});

test('deducts the points once for a refund that the payment provider made itself', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  const { trade_no: tradeNo } = order;
  const refunded = { what: 'refunded', tradeNo, refundNo: '', providerRefundNo: 're_1', amount: 3650 } as const;
  for (let times = 0; times < 3; times += 1) await applyWebhookEvent(scene.ctx, order, refunded);
  expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_quota: 5 * USD });
  expect(await scene.balance(buyer)).toBe(5 * USD);
});

test.each(['refunded', 'disputed'] as const)(
  'an order that is reported as %s before its payment is known loses its points with the payment',
  async (what) => {
    const buyer = await scene.createUser('user');
    const order = await scene.paidOrder(buyer);
    const { trade_no: tradeNo, order_amount: amount } = order;
    await applyWebhookEvent(
      scene.ctx,
      order,
      what === 'refunded'
        ? { what, tradeNo, amount, refundNo: '', providerRefundNo: `early-${order.id}` }
        : { what, tradeNo, amount, disputeNo: `early-${order.id}` },
    );
    expect(await scene.row(order)).toMatchObject({ status: 'pending', refunded_amount: 0 });
    await vendor.sendWebhook(tradeNo);
    expect(await scene.row(order)).toMatchObject({ status: what, refunded_quota: 10 * USD });
    expect(await scene.balance(buyer)).toBe(0);
  },
);

test('marks an order for review whose refunds exceeded it before its payment was known', async () => {
  const buyer = await scene.createUser('user');
  const order = await scene.paidOrder(buyer);
  const { trade_no: tradeNo, order_amount: amount } = order;
  const early = { tradeNo, amount, refundNo: '' };
  for (const nth of [1, 2])
    await applyWebhookEvent(scene.ctx, order, {
      what: 'refunded',
      ...early,
      providerRefundNo: `twice-${order.id}-${nth}`,
    });
  await vendor.sendWebhook(tradeNo);
  expect(await scene.row(order)).toMatchObject({ status: 'refunded', review: 'over-refunded' });
  expect(await scene.balance(buyer)).toBe(0);
});

test('accepts the same refund number of the payment provider for two orders', async () => {
  const buyer = await scene.createUser('user');
  for (const order of [await paidOrder(buyer), await paidOrder(buyer)])
    for (let times = 0; times < 2; times += 1)
      await applyWebhookEvent(scene.ctx, order, {
        what: 'refunded',
        tradeNo: order.trade_no,
        refundNo: '001',
        providerRefundNo: '001',
        amount: order.order_amount,
      });
  expect(await scene.balance(buyer)).toBe(0);
});

test('a dispute takes the points while it is open; a won one returns them, a lost one does not', async () => {
  const buyer = await scene.createUser('user');
  for (const [end, status, balance] of [
    ['dispute-won', 'success', 10 * USD],
    ['dispute-lost', 'refunded', 10 * USD],
  ] as const) {
    const order = await paidOrder(buyer);
    const dispute = { tradeNo: order.trade_no, disputeNo: `dp_${order.id}`, amount: order.order_amount };
    await applyWebhookEvent(scene.ctx, order, { what: 'disputed', ...dispute });
    await applyWebhookEvent(scene.ctx, order, { what: 'disputed', ...dispute });
    expect(await scene.row(order)).toMatchObject({ status: 'disputed' });
    await expect(refund(order)).rejects.toMatchObject({ code: 'conflict' });
    await applyWebhookEvent(scene.ctx, order, { what: end, ...dispute });
    await applyWebhookEvent(scene.ctx, order, { what: end, ...dispute });
    expect(await scene.row(order)).toMatchObject({ status });
    expect(await scene.balance(buyer)).toBe(balance);
  }
});

test('an order stays disputed after a refund during a dispute, and gets its status at the end of the dispute', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  const { trade_no: tradeNo } = order;
  const dispute = { tradeNo, disputeNo: `dp_${order.id}`, amount: 3650 };
  await applyWebhookEvent(scene.ctx, order, { what: 'disputed', ...dispute });
  await applyWebhookEvent(scene.ctx, order, {
    what: 'refunded',
    tradeNo,
    refundNo: '',
    providerRefundNo: `re_${order.id}`,
    amount: 3650,
  });
  expect(await scene.row(order)).toMatchObject({ status: 'disputed', refunded_amount: 7300 });
  await applyWebhookEvent(scene.ctx, order, { what: 'dispute-won', ...dispute });
  expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_amount: 3650 });
  expect(await scene.balance(buyer)).toBe(5 * USD);
});

test('a dispute that begins while a refund is pending keeps its points when the refund fails', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  const { trade_no: tradeNo, order_amount: amount } = order;
  const lost = { id: `lost-${order.id}`, amount: 100, state: 'pending', reason: '', by: null } as const;
  await scene.ctx.ledger.transaction((trx, moves) =>
    deductRefund(scene.ctx, trx, moves, order, { ...lost, mayOverdraw: false, nextPollTime: 0 }),
  );
  const dispute = { tradeNo, disputeNo: `dp_${order.id}`, amount };
  await applyWebhookEvent(scene.ctx, order, { what: 'disputed', ...dispute });
  expect(await scene.row(order)).toMatchObject({ status: 'disputed', review: 'over-refunded' });
  // This kind of gateway refuses parts.
  await pollRefunds(scene.ctx);
  expect((await scene.events(order)).at(-1)).toBe('refund-failed');
  expect(await scene.row(order)).toMatchObject({ status: 'disputed', refunded_amount: amount });
  expect(await scene.balance(buyer)).toBe(0);
  await applyWebhookEvent(scene.ctx, order, { what: 'dispute-won', ...dispute });
  expect(await scene.row(order)).toMatchObject({ status: 'success', refunded_amount: 0 });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('deducts no points for a dispute whose end is reported before its start', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  const dispute = { tradeNo: order.trade_no, disputeNo: `dp_${order.id}`, amount: order.order_amount };
  await applyWebhookEvent(scene.ctx, order, { what: 'dispute-won', ...dispute });
  await applyWebhookEvent(scene.ctx, order, { what: 'disputed', ...dispute });
  expect(await scene.row(order)).toMatchObject({ status: 'success' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('a refund that succeeded although it was abandoned takes the points, once', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  await refund(order, { amount: 1 });
  const [given] = await scene.ctx.db.writer
    .selectFrom('order_refund')
    .select('id')
    .where('order_id', '=', order.id)
    .execute();
  const { trade_no: tradeNo } = order;
  const webhook = { what: 'refunded', tradeNo, refundNo: given?.id ?? '', amount: 100 } as const;
  for (let times = 0; times < 3; times += 1)
    await applyWebhookEvent(scene.ctx, order, { ...webhook, providerRefundNo: `late-${order.id}` });
  expect(await scene.row(order)).toMatchObject({ refunded_amount: 100 });
  expect(await scene.balance(buyer)).toBe(10 * USD - Math.floor((10 * USD) / 73));
});

test('buyers see what happened to their orders, but not what staff wrote', async () => {
  const buyer = await scene.createUser('user');
  const order = await paidOrder(buyer);
  await refund(order, { reason: 'Known for this' });
  const seen = await buyer.api(orders).getOwn({ params: { trade_no: order.trade_no } });
  expect(JSON.stringify(seen)).not.toContain('Known for this');
  expect(JSON.stringify(seen)).not.toContain(root.username);
  expect(seen.events.map(({ event }) => event)).toContain('refund-begun');
});

// Last, because they take days, after which the session has ended.
const poll = async (times: number): Promise<void> => {
  for (let tries = 0; tries < times; tries += 1) {
    scene.clock.advance(90_000);
    await pollRefunds(scene.ctx);
  }
};
const lose = (reply?: Reply): void => vendor.loseResponses(Number.POSITIVE_INFINITY, reply);
const refuse = (): void => lose({ json: { code: -1, msg: '系统维护中' } });
const disconnect = (): Promise<void> => setOptions(scene.ctx, { ServerAddress: '' });

test.each<[string, () => unknown, number, () => unknown, RegExp]>([
  ['refuses to tell its state', refuse, 3, refuse, /系统维护中/],
  ['refuses to tell its state after lost responses', lose, 8, refuse, /系统维护中/],
  ['never responds', lose, 3, lose, /could not be determined/],
  ['can be asked no more', refuse, 3, disconnect, /could not be determined/],
])('keeps a refund pending and has it reviewed when the provider %s', async (_, begin, tries, end, why) => {
  const order = await paidOrder(await scene.createUser('user'));
  const { id, user_id, order_amount: amount } = order;
  const pending = { id: `refund-${id}`, amount, state: 'pending', reason: '', by: null } as const;
  await scene.ctx.ledger.transaction((trx, moves) =>
    deductRefund(scene.ctx, trx, moves, order, { ...pending, mayOverdraw: false, nextPollTime: 0 }),
  );
  await begin();
  await poll(tries);
  expect((await scene.row(order)).review).toBe(tries > 4 ? 'refund-unclear' : '');
  await end();
  await poll(4);
  expect(await scene.row(order)).toMatchObject({ status: 'success', review: 'refund-unclear' });
  const events = await scene.ctx.db.writer
    .selectFrom('order_event')
    .select('detail')
    .where('order_id', '=', id)
    .where('event', '=', 'parked')
    .execute();
  expect(events.filter(({ detail }) => why.test(detail))).toHaveLength(1);
  expect(await scene.ctx.ledger.readAvailable(user_id)).toBe(0);
  vendor.loseResponses(0);
  await setOptions(scene.ctx, { ServerAddress: scene.url });
  await poll(1);
  expect(await scene.row(order)).toMatchObject({ status: 'refunded' });
  expect(await scene.ctx.ledger.readAvailable(user_id)).toBe(0);
});
