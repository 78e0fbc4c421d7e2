/** Refunds of ours, refunds at the payment provider's desk and disputes, reported in any order, late and repeatedly. */
import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import { startMoneyScene, toOrderId } from '../../testing/payment-server-scene.ts';
import type { ScriptedDispute, ScriptedRefund } from '../../testing/scripted-payment-providers/scripted-provider.ts';
import type { WebhookEvent } from '../payment-integrations/payment-integrations.ts';
import type { OrderRow } from './order-rows.ts';
import { applyWebhookEvent } from './order-states.ts';
import { pollRefunds } from './orders.ts';
import { deductRefund } from './refund-bookkeeping.ts';

const RUNS = 60;
const scene = await startMoneyScene('stripe');
afterAll(async () => {
  expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  await scene.close();
});
const { vendor, ctx, root } = scene;

type Step =
  | { what: 'refund' | 'delayed refund' | 'unsent refund' | 'lost answer' | 'desk' | 'dispute'; share: number }
  | { what: 'end refund'; nth: number; status: 'succeeded' | 'failed' }
  /** After it had succeeded. */
  | { what: 'fail refund'; nth: number }
  | { what: 'close dispute'; nth: number; status: 'won' | 'lost' }
  | { what: 'deliver'; nth: number }
  | { what: 'ask' };

const nth = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    what: fc.constantFrom('refund', 'delayed refund', 'unsent refund', 'lost answer', 'desk', 'dispute'),
    share: fc.constantFrom(10, 40, 60, 100),
  }),
  fc.record({ what: fc.constant('end refund'), nth, status: fc.constantFrom('succeeded', 'failed') }),
  fc.record({ what: fc.constant('fail refund'), nth }),
  fc.record({ what: fc.constant('close dispute'), nth, status: fc.constantFrom('won', 'lost') }),
  fc.record({ what: fc.constant('deliver'), nth }),
  fc.record({ what: fc.constant('ask') }),
);

const booksOf = ({ trade_no }: OrderRow) => vendor.orders.get(trade_no) ?? expect.fail('no order');

const pick = <T>(things: readonly T[], index: number): T | undefined => things[index % things.length];

/** Events of a refund in the order in which the provider sends them. */
function refundEvents(tradeNo: string, { refundNo, providerNo, amount, status }: ScriptedRefund): WebhookEvent[] {
  const own = refundNo.startsWith('desk-') ? '' : refundNo;
  const facts = { tradeNo, refundNo: own, providerRefundNo: providerNo, amount };
  if (status === 'pending') return [];
  const failed: WebhookEvent = { what: 'refund-failed', ...facts, reason: 'The bank sent it back' };
  return [{ what: 'refunded', ...facts }, ...(status === 'failed' ? [failed] : [])];
}

function disputeEvents(tradeNo: string, { disputeNo, amount, status }: ScriptedDispute): WebhookEvent[] {
  const steps = { open: [], won: ['dispute-won'], lost: ['dispute-lost'] } as const;
  return (['disputed', ...steps[status]] as const).map((what) => ({ what, tradeNo, disputeNo, amount }));
}

/** Everything that the provider has to report of an order. */
function eventsOf(order: OrderRow): WebhookEvent[] {
  const { tradeNo, refunds, disputes } = booksOf(order);
  return [
    ...refunds.flatMap((refund) => refundEvents(tradeNo, refund)),
    ...disputes.flatMap((dispute) => disputeEvents(tradeNo, dispute)),
  ];
}

/** Sum of the refunds in these events, in minor units. */
function sumOf(events: readonly WebhookEvent[]): number {
  const amounts = new Map<string, number>();
  for (const event of events) {
    if (event.what === 'refunded') amounts.set(event.providerRefundNo, event.amount);
    if (event.what === 'disputed' || event.what === 'dispute-lost') amounts.set(event.disputeNo, event.amount);
  }
  for (const event of events) {
    if (event.what === 'refund-failed') amounts.delete(event.providerRefundNo);
    if (event.what === 'dispute-won') amounts.delete(event.disputeNo);
  }
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
}

const worth = ({ quota, order_amount }: OrderRow, amount: number): number =>
  Math.floor((quota * Math.min(amount, order_amount)) / order_amount);

async function refundHere(order: OrderRow, amount: number): Promise<void> {
  const body = { reason: 'As agreed', amount: amount / 100, may_leave_debt: true };
  await root
    .api(orders)
    .refund({ params: { id: toOrderId(order) }, body })
    // More than is left, or the order is disputed.
    .catch((error: unknown) => expect(error).toMatchObject({ code: 'conflict' }));
}

/** A refund whose points are taken, and whose request or answer got lost. */
async function loseRefund(order: OrderRow, amount: number, isMade: boolean): Promise<void> {
  const row = await scene.row(order);
  if (row.status !== 'success' || amount > row.order_amount - row.refunded_amount) return;
  const id = newRequestId();
  const refund = { id, amount, state: 'pending', reason: '', by: null, mayOverdraw: true, nextPollTime: 0 } as const;
  await ctx.ledger.transaction((trx, moves) => deductRefund(ctx, trx, moves, row, refund));
  const { refunds } = booksOf(order);
  const back = refunds.reduce((sum, made) => (made.status === 'failed' ? sum : sum + made.amount), 0);
  if (isMade && amount <= row.order_amount - back)
    refunds.push({ refundNo: id, providerNo: `r-${id}`, amount, status: 'succeeded' });
}

async function ask(): Promise<void> {
  await ctx.db.writer
    .updateTable('order_refund')
    .set({ next_ask_time: 0 })
    .where('next_ask_time', 'is not', null)
    .execute();
  await pollRefunds(ctx);
}

async function take(order: OrderRow, step: Step, delivered: WebhookEvent[]): Promise<void> {
  const { refunds, disputes } = booksOf(order);
  const amount = 'share' in step ? Math.ceil((order.order_amount * step.share) / 100) : 0;
  switch (step.what) {
    case 'refund':
      return refundHere(order, amount);
    case 'delayed refund':
      vendor.delayRefunds(true);
      return refundHere(order, amount).finally(() => vendor.delayRefunds(false));
    case 'unsent refund':
    case 'lost answer':
      return loseRefund(order, amount, step.what === 'lost answer');
    case 'desk':
      return vendor.refundAtDesk(order.trade_no, amount);
    case 'dispute':
      return vendor.dispute(order.trade_no, amount);
    case 'end refund': {
      const refund = pick(
        refunds.filter(({ status }) => status === 'pending'),
        step.nth,
      );
      if (refund !== undefined) refund.status = step.status;
      return;
    }
    case 'fail refund': {
      const refund = pick(
        refunds.filter(({ status }) => status === 'succeeded'),
        step.nth,
      );
      if (refund !== undefined) refund.status = 'failed';
      return;
    }
    case 'close dispute': {
      // An appeal may win one that was lost.
      const dispute = pick(
        disputes.filter(({ status }) => status !== 'won'),
        step.nth,
      );
      if (dispute !== undefined) dispute.status = step.status;
      return;
    }
    case 'deliver':
      return deliver(order, pick(eventsOf(order), step.nth), delivered);
    case 'ask':
      return ask();
  }
}

async function deliver(order: OrderRow, event: WebhookEvent | undefined, delivered: WebhookEvent[]): Promise<void> {
  if (event === undefined) return;
  await applyWebhookEvent(ctx, order, event);
  delivered.push(event);
}

test('takes the points of every refund and dispute that the provider reports, in any order, and no more than the order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await root.api(profile).stepUp({ body: { password: root.password } });
      const buyer = await scene.createUser('user');
      const order = await scene.paidOrder(buyer);
      await vendor.sendWebhook(order.trade_no);
      const delivered: WebhookEvent[] = [];
      for (const next of steps) {
        await take(order, next, delivered);
        const row = await scene.row(order);
        // Polling a refund may report its end before its webhook event arrives.
        const over = eventsOf(order).filter(({ what }) => what === 'dispute-won' || what === 'refund-failed');
        const reported = sumOf([...delivered, ...over]);
        expect(row.refunded_quota).toBeGreaterThanOrEqual(worth(row, reported));
        expect(row.refunded_quota).toBeLessThanOrEqual(row.quota);
        expect(await scene.balance(buyer)).toBe(row.quota - row.refunded_quota);
      }
      // The provider completes pending refunds, reports missing ones, and is polled for the rest.
      for (const refund of booksOf(order).refunds) if (refund.status === 'pending') refund.status = 'succeeded';
      await ask();
      for (const event of eventsOf(order).toReversed()) await deliver(order, event, delivered);
      await ask();
      const row = await scene.row(order);
      const sum = sumOf(eventsOf(order));
      expect(row).toMatchObject({ refunded_amount: Math.min(sum, row.order_amount), refunded_quota: worth(row, sum) });
      if (sum > row.order_amount) expect(row.review).toBe('over-refunded');
      expect(await scene.balance(buyer)).toBe(row.quota - row.refunded_quota);
      for (const event of eventsOf(order)) await deliver(order, event, delivered);
      await ask();
      expect(await scene.row(order)).toEqual(row);
    }),
    { numRuns: RUNS },
  );
});
