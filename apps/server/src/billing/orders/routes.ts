import type { Order, OwnOrder, orders } from '@switchyard/contract/billing/orders';
import type { Selectable } from 'kysely';
import { checkMayChange } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Call, Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { Schema } from '../../schema.ts';
import { listPaymentOptions } from '../payment-providers/payment-providers.ts';
import { renderOrderReceipt } from '../statements/statements.ts';
import { createOrder, parsePaymentMethod, presentPayment } from './create-order.ts';
import { exportOrders, listOrders, listOwnOrders, sumOrders } from './list-orders.ts';
import { findOrder, findOwnOrder, listOrderEvents, type OrderRow } from './order-rows.ts';
import { closeUnpaid, completeOrder } from './order-states.ts';
import { resolveReview } from './payment-review.ts';
import { canBuyerPoll, pollOrderNow } from './poll-open-orders.ts';
import { type JoinedOrder, presentOrder, presentOwnOrder, selectOrders } from './present-order.ts';
import { refundOrder } from './send-refunds.ts';
import { createOrderWatch } from './wait-for-order.ts';

const TEN_MINUTES_MS = 600_000;
const ORDERS_PER_TEN_MINUTES = 20;
const QUESTIONS_PER_TEN_MINUTES = 60;

export function orderRoutes(ctx: Context): Handlers<typeof orders> {
  const createLimit = createRateLimit(ctx, 'new orders', ORDERS_PER_TEN_MINUTES, TEN_MINUTES_MS);
  const pollLimit = createRateLimit(ctx, 'order checks', QUESTIONS_PER_TEN_MINUTES, TEN_MINUTES_MS);
  const watch = createOrderWatch(ctx);
  const own = (tradeNo: string, userId: number) => findOwnOrder(ctx.db.writer, userId, tradeNo);

  return {
    offers: (_input, { caller }) => listPaymentOptions(ctx, caller),
    create: async ({ body }, call) => {
      await createLimit.consume(String(call.caller.userId));
      return createOrder(ctx, call, body);
    },
    listOwn: ({ query }, { caller }) => listOwnOrders(ctx, caller.userId, query),
    isPaid: async ({ query }, { caller }) => {
      const { paid_time } = await own(query.trade_no, caller.userId);
      return JSON.stringify({ success: paid_time !== null, message: '' });
    },
    getOwn: async ({ params, query }, call) => {
      const { userId } = call.caller;
      const { id, status } = await own(params.trade_no, userId);
      if (status === query.while_status) await watch.waitForChange(userId, id, call.getAbortSignal());
      const row = await findJoinedOrder(ctx, id);
      const howToPay = parsePaymentMethod(row);
      return {
        ...presentOwnOrder(row),
        events: await listOrderEvents(ctx.db.reader, id, false),
        payment: howToPay === undefined ? null : presentPayment(howToPay),
      };
    },
    checkOwn: async ({ params }, { caller }) => {
      await pollLimit.consume(String(caller.userId));
      const order = await own(params.trade_no, caller.userId);
      if (canBuyerPoll(order, nowSeconds(ctx.clock))) await pollOrderNow(ctx, order, null);
      return presentOwnById(ctx, order.id);
    },
    closeOwn: async ({ params }, { caller }) => {
      const order = await own(params.trade_no, caller.userId);
      await closeUnpaid(ctx, order.id, 'closed');
      return presentOwnById(ctx, order.id);
    },
    receipt: async ({ params }, call) => {
      const { userId } = call.caller;
      const order = await own(params.trade_no, userId);
      const buyer = await ctx.db.writer
        .selectFrom('user')
        .select(['username', 'display_name', 'email', 'language'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
      call.setFileName(`receipt-${order.trade_no}.pdf`);
      return renderOrderReceipt(ctx, order, buyer);
    },
    list: ({ query }) => listOrders(ctx, query),
    totals: ({ query }) => sumOrders(ctx, query),
    export: ({ query }, call) => {
      call.setFileName('orders.csv');
      return exportOrders(ctx, query);
    },
    get: async ({ params }) => ({
      ...(await presentOrderById(ctx, params.id)),
      events: await listOrderEvents(ctx.db.reader, params.id, true),
    }),
    check: async ({ params }, call) => {
      await pollOrderNow(ctx, await findOrder(ctx.db.writer, params.id), call.caller.userId);
      return auditAndPresent(ctx, call, 'order.check', params.id);
    },
    complete: async ({ params, body }, call) => {
      const buyer = await checkMayMovePoints(ctx, call.caller, params.id);
      checkGetsNoShare(ctx, call.caller, buyer);
      await completeOrder(ctx, params.id, { by: call.caller.userId, reason: body.reason });
      return auditAndPresent(ctx, call, 'order.complete', params.id, body);
    },
    refund: async ({ params, body }, call) => {
      await checkMayMovePoints(ctx, call.caller, params.id);
      const { moved } = await refundOrder(ctx, call, params.id, body);
      return moved ? auditAndPresent(ctx, call, 'order.refund', params.id, body) : presentOrderById(ctx, params.id);
    },
    resolve: async ({ params, body }, call) => {
      await resolveReview(ctx, params.id, { by: call.caller.userId, reason: body.reason });
      return auditAndPresent(ctx, call, 'order.resolve', params.id, body);
    },
    close: async ({ params, body }, call) => {
      await closeUnpaid(ctx, params.id, 'closed', { detail: body.reason, by: call.caller.userId });
      return auditAndPresent(ctx, call, 'order.close', params.id, body);
    },
  };
}

type Buyer = Pick<Selectable<Schema['user']>, 'role' | 'inviter_id'>;

/**
 * Checks that the caller may change the buyer's balance, as for every other change of a balance, so that staff can't
 * confirm the payment of their own orders.
 * @throws AppError `not-allowed` for an order of a user whose role is not below the caller's
 */
async function checkMayMovePoints(ctx: Context, caller: Caller, id: OrderRow['id']): Promise<Buyer> {
  const { user_id } = await findOrder(ctx.db.writer, id);
  const buyer = await ctx.db.writer
    .selectFrom('user')
    .select(['role', 'inviter_id'])
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow();
  checkMayChange(caller, buyer);
  return buyer;
}

/**
 * Checks that the completion of an order does not give the caller the share of an inviter.
 * @throws AppError `not-allowed`
 */
function checkGetsNoShare({ settings }: Context, { role, userId }: Caller, { inviter_id }: Buyer): void {
  if (role === 'root' || settings.inviterSharePercent === 0 || inviter_id !== userId) return;
  throw new AppError(
    'not-allowed',
    "You would receive the inviter's share of this order. Ask another administrator to complete it.",
  );
}

async function auditAndPresent(
  ctx: Context,
  call: Call<'orders.write'>,
  action: string,
  id: OrderRow['id'],
  detail: Readonly<Record<string, unknown>> = {},
): Promise<Order> {
  await audit(ctx, call, { action, target: `order:${id}`, detail });
  return presentOrderById(ctx, id);
}

/** @throws AppError `not-found` */
async function findJoinedOrder(ctx: Context, id: number): Promise<JoinedOrder> {
  const row = await selectOrders(ctx.db.writer).where('payment_order.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('order', id);
  return row;
}

const presentOrderById = async (ctx: Context, id: number): Promise<Order> =>
  presentOrder(await findJoinedOrder(ctx, id));
const presentOwnById = async (ctx: Context, id: number): Promise<OwnOrder> =>
  presentOwnOrder(await findJoinedOrder(ctx, id));
