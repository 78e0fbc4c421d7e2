import { afterAll, expect, test } from 'vitest';
import type { SignedInUser } from '../../testing/create-user.ts';
import { startMoneyScene } from '../../testing/payment-server-scene.ts';
import { completeOrder } from './order-states.ts';
import { pollOrderNow } from './poll-open-orders.ts';

const scene = await startMoneyScene('stripe');
afterAll(() => scene.close());
const { vendor, ctx } = scene;
const USD = 500_000;
const DAY = 86_400;

const setUser = async ({ id }: SignedInUser, change: { role: 'user' | 'admin' } | { status: 'disabled' }) => {
  await ctx.db.writer.updateTable('user').set(change).where('id', '=', id).execute();
};

test.each([
  ['has lost the role', (buyer: SignedInUser) => setUser(buyer, { role: 'user' })],
  ['is disabled', (buyer: SignedInUser) => setUser(buyer, { status: 'disabled' })],
  ['lacks the second factor that is due', async () => scene.clock.advance(8 * DAY)],
])('a test payment of a buyer who %s credits nothing and needs a review', async (_reason, loseRight) => {
  const buyer = await scene.createUser('admin');
  const order = await scene.paidOrder(buyer);
  await loseRight(buyer);
  await vendor.sendWebhook(order.trade_no);
  await pollOrderNow(ctx, order, null);
  expect(await scene.row(order)).toMatchObject({ review: 'test-payment', paid_time: null });
  expect(await scene.balance(buyer)).toBe(0);
  expect((await scene.events(order)).filter((event) => event === 'parked')).toHaveLength(1);
});

test('a test payment is credited while its buyer may change payment providers', async () => {
  const buyer = await scene.createUser('admin');
  const order = await scene.paidOrder(buyer);
  await vendor.sendWebhook(order.trade_no);
  expect(await scene.row(order)).toMatchObject({ status: 'success', review: '' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});

test('staff can still complete a test order by decision', async () => {
  const buyer = await scene.createUser('admin');
  const order = await scene.paidOrder(buyer);
  await setUser(buyer, { role: 'user' });
  await completeOrder(ctx, order.id, { by: scene.root.id, reason: 'A demonstration' });
  expect(await scene.balance(buyer)).toBe(10 * USD);
});
