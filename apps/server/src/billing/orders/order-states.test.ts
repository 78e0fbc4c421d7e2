/** Any sequence of what can happen to an order ends as a small model says, to the point. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { startMoneyScene } from '../../testing/money-scene.ts';
import type { OrderRow } from './order-rows.ts';
import { applyWebhookEvent, closeUnpaid, completeOrder } from './order-states.ts';

const scene = await startMoneyScene();
afterAll(() => scene.close());
const { ctx } = scene;
const RUNS = 60;

type Happening =
  | { what: 'paid' | 'failed' | 'closed' | 'completed' | 'wrong amount' | 'wrong currency' | 'other payment' }
  | { what: 'refunded'; no: number; share: number }
  | { what: 'disputed' | 'dispute-won' | 'dispute-lost'; no: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    what: fc.constantFrom(
      'paid',
      'paid',
      'failed',
      'closed',
      'completed',
      'wrong amount',
      'wrong currency',
      'other payment',
    ),
  }),
  fc.record({
    what: fc.constant('refunded' as const),
    no: fc.integer({ min: 1, max: 3 }),
    share: fc.integer({ min: 1, max: 100 }),
  }),
  fc.record({ what: fc.constantFrom('disputed', 'dispute-won', 'dispute-lost'), no: fc.integer({ min: 1, max: 2 }) }),
);

/** What an order is worth to its buyer: everything that was taken back, by the number of the refund or dispute. */
interface Model {
  paid: boolean;
  /** Coins by number; disputes begin with `d`. */
  back: Map<string, number>;
  /** Disputes that have ended, or whose end was reported before their start. */
  settled: Set<string>;
  won: Set<string>;
}

function follow(model: Model, order: OrderRow, event: Happening): void {
  switch (event.what) {
    case 'paid':
    case 'completed':
      model.paid = true;
      return;
    case 'refunded': {
      const key = `r${event.no}`;
      if (!model.back.has(key)) model.back.set(key, coinsOf(order, event.share));
      return;
    }
    case 'disputed':
    case 'dispute-won':
    case 'dispute-lost': {
      const key = `d${event.no}`;
      if (model.won.has(key)) return;
      if (event.what !== 'disputed') model.settled.add(key);
      // An appeal may win a dispute that was lost.
      if (event.what === 'dispute-won') model.won.add(key);
      if (event.what === 'dispute-won') model.back.delete(key);
      else model.back.set(key, order.order_amount);
      return;
    }
    case 'failed':
    case 'closed':
    case 'wrong amount':
    case 'wrong currency':
    case 'other payment':
  }
}

/** Of a paid order. */
function statusOf({ back, settled }: Model, left: number): OrderRow['status'] {
  if ([...back.keys()].some((key) => key.startsWith('d') && !settled.has(key))) return 'disputed';
  return left === 0 ? 'refunded' : 'success';
}

const coinsOf = (order: OrderRow, share: number): number => Math.ceil((order.order_amount * share) / 100);

async function happen(order: OrderRow, event: Happening): Promise<void> {
  const { id, trade_no: tradeNo, order_amount: amount } = order;
  const payment = { what: 'paid', tradeNo, providerNo: `p-${tradeNo}`, amount, currency: 'CNY' } as const;
  switch (event.what) {
    case 'paid':
      return applyWebhookEvent(ctx, order, payment);
    case 'wrong amount':
      return applyWebhookEvent(ctx, order, { ...payment, amount: amount - 1 });
    case 'wrong currency':
      return applyWebhookEvent(ctx, order, { ...payment, currency: 'USD' });
    case 'other payment':
      // Only after the true one: before it, any payment of this order is the true one.
      if ((await scene.row(order)).paid_time === null) return;
      return applyWebhookEvent(ctx, order, { ...payment, providerNo: `another-${tradeNo}` });
    case 'failed':
    case 'closed':
      return closeUnpaid(ctx, id, event.what);
    case 'completed':
      return completeOrder(ctx, id, { by: scene.root.id, reason: 'Seen' }).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      });
    case 'refunded': {
      const providerRefundNo = `r${event.no}-${tradeNo}`;
      return applyWebhookEvent(ctx, order, {
        what: 'refunded',
        tradeNo,
        refundNo: '',
        providerRefundNo,
        amount: coinsOf(order, event.share),
      });
    }
    case 'disputed':
    case 'dispute-won':
    case 'dispute-lost':
      return applyWebhookEvent(ctx, order, { what: event.what, tradeNo, disputeNo: `d${event.no}-${tradeNo}`, amount });
  }
}

test('an order is credited at most once, and what was taken back is its share to the point', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 14 }), async (events) => {
      const buyer = await scene.createUser('user');
      const order = await scene.order(buyer, 7);
      const model: Model = { paid: false, back: new Map(), settled: new Set(), won: new Set() };
      for (const event of events) {
        await happen(order, event);
        follow(model, order, event);
        const row = await scene.row(order);
        const sum = [...model.back.values()].reduce((all, coins) => all + coins, 0);
        const back = model.paid ? Math.min(sum, row.order_amount) : 0;
        expect([row.paid_time !== null, row.refunded_amount]).toEqual([model.paid, back]);
        if (model.paid) expect(row.status).toBe(statusOf(model, row.order_amount - back));
        expect(row.refunded_quota).toBe(Math.floor((row.quota * back) / row.order_amount));
        expect(await scene.balance(buyer)).toBe(model.paid ? row.quota - row.refunded_quota : 0);
      }
    }),
    { numRuns: RUNS },
  );
  expect((await verifyLedger(ctx.db.reader)).problems).toEqual([]);
});
