/** Any sequence of events leaves an order in the state of a small model, to the point. */
import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { openPostgresPool } from '../../testing/database-server.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { startMoneyScene } from '../../testing/payment-server-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { startFeatureNodes } from '../../testing/start-nodes.ts';
import type { OrderRow } from './order-rows.ts';
import { applyWebhookEvent, closeUnpaid, completeOrder } from './order-states.ts';
import { applyRefundEvent } from './refund-webhook-events.ts';

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

test('an order is credited at most once, and a refund takes its share to the point', async () => {
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

test('crediting buyers and inviters does not deadlock with calls of the same users on another node', async (context) => {
  const nodes = await startFeatureNodes([]);
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const [{ ctx: here }, { ctx: there }] = [nodes.first, nodes.second];
  const root = await nodes.first.createUser('root');
  const inviter = await nodes.first.createUser('user', { quota: 1_000_000 });
  const buyer = await nodes.first.createUser('user', { quota: 1_000_000 });
  await here.db.writer.updateTable('user').set({ inviter_id: inviter.id }).where('id', '=', buyer.id).execute();
  await setOptions(here, { InviterSharePercent: '10', InviterShareTopUps: '100' });
  const processor_id = await insertPaymentProvider(here);
  let isCredited = false;
  const credit = async (): Promise<void> => {
    for (let nth = 0; nth < 60; nth += 1) {
      const pending = { status: 'pending', paid_time: null } as const;
      const { id } = await insertPaymentOrder(here, { ...pending, user_id: buyer.id, processor_id });
      await completeOrder(here, id, { by: root.id, reason: 'Bank transfer' });
      const refunded = { what: 'refunded', tradeNo: '', refundNo: '', paymentNo: '', amount: 100 } as const;
      await applyRefundEvent(here, id, { ...refunded, providerRefundNo: `r${id}` });
    }
  };
  const call = async (): Promise<void> => {
    for (let nth = 0; !isCredited; nth += 1) {
      const calls = [inviter, buyer].map(({ id: userId }) => ({ requestId: `${nth}.${userId}`, userId }));
      const hold = { apiKeyId: null, limited: false, amount: 1 };
      await Promise.all(calls.map((one) => there.ledger.hold({ ...one, ...hold })));
      for (const { requestId } of calls) there.ledger.release(requestId);
    }
  };
  await Promise.all([credit().finally(() => (isCredited = true)), call()]);
  // The deadlocks of a connection are counted at its end at the latest.
  await nodes.close();
  const pool = openPostgresPool(here.config.databaseUrl ?? '');
  onTestFinished(() => pool.end());
  const { rows } = await pool.query('select deadlocks::int from pg_stat_database where datname = current_database()');
  expect(rows).toEqual([{ deadlocks: 0 }]);
});
