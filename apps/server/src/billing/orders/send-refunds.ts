/** Refunds by staff: deducts the points first, then sends the money, and polls until the result is known. */
import type { Order } from '@switchyard/contract/billing/orders';
import {
  type Currency,
  formatMinorUnits,
  getCurrencyDecimals,
} from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { runIdempotently } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { Schema } from '../../schema.ts';
import {
  NO_REPORTED_REFUNDS,
  type PaidOrder,
  type PaymentProviderClient,
  PaymentProviderError,
  type Refund,
  type RefundState,
  type ReportedRefunds,
} from '../payment-integrations/payment-integrations.ts';
import { connectProvider } from '../payment-providers/payment-providers.ts';
import {
  findOrder,
  findOrderProvider,
  listUncreditedPayments,
  type OrderRow,
  type RefundRow,
  recordOrderEvent,
} from './order-rows.ts';
import { applyWebhookEvent } from './order-states.ts';
import { pollAll } from './poll-open-orders.ts';
import { deductRefund, finishRefund, markRefundForReview, reverseRefund } from './refund-bookkeeping.ts';
import { applyRefundEvent } from './refund-webhook-events.ts';

/** Seconds before the next poll, by the number of polls so far; the last value repeats. */
const POLL_INTERVALS = [30, 60, 300, 1_800, 7_200, 43_200] as const;
const PER_RUN = 50;

interface RefundCall {
  caller: Caller;
  requestId: string;
  idempotencyKey: string | undefined;
}
interface WantedRefund {
  /** Amount in the order's currency; undefined for the whole remainder. */
  amount?: number | undefined;
  reason: string;
  may_leave_debt: boolean;
  outside: boolean;
}

/**
 * Refunds an order. A repetition with the same `Idempotency-Key` sends nothing more.
 * @throws AppError `invalid-input` for fractions of the minor unit, `conflict` for more than the remainder, an unpaid
 * order, or one whose only payment at the provider was not credited, `insufficient-balance` when the points are spent
 * and may not become a debt
 */
export async function refundOrder(
  ctx: Context,
  call: RefundCall,
  id: Order['id'],
  wanted: WantedRefund,
): Promise<{ moved: boolean }> {
  const operation = { what: `refund of order ${id}`, input: wanted, answer: z.string() };
  const { answer: refundId, repeated } = await runIdempotently(ctx, call, operation, async (trx, moves) => {
    const refundId = newRequestId();
    const order = await findOrder(trx, id);
    if (order.status !== 'success')
      throw new AppError('conflict', `The order has the status ${order.status}. Only a paid order can be refunded.`);
    if (!wanted.outside && order.processor_no === null && (await listUncreditedPayments(trx, order)).length > 0)
      throw new AppError(
        'conflict',
        'The payment at the provider was not credited to this order. Refund it in the provider’s dashboard, or choose a refund outside of the provider for the credited payment.',
      );
    const left = order.order_amount - order.refunded_amount;
    if (left === 0) throw new AppError('conflict', 'This order has no refundable amount left');
    const amount = wanted.amount === undefined ? left : toMinor(wanted.amount, order.currency);
    if (amount > left) throw refundTooLargeError(amount, left, order.currency);
    await deductRefund(ctx, trx, moves, order, {
      id: refundId,
      amount,
      state: 'pending',
      reason: wanted.reason,
      by: call.caller.userId,
      mayOverdraw: wanted.may_leave_debt,
      nextPollTime: nowSeconds(ctx.clock) + getPollDelay(0),
    });
    await recordOrderEvent(ctx, trx, id, 'refund-begun', { detail: wanted.reason, by: call.caller.userId });
    if (wanted.outside) await finishRefund(ctx, trx, await findRefund(trx, refundId), '');
    return refundId;
  });
  await ctx.changes.publish({ topic: 'orders', ids: [id] });
  if (!repeated && !wanted.outside) await sendRefund(ctx, await findRefund(ctx.db.writer, refundId));
  return { moved: !repeated };
}

function refundTooLargeError(amount: number, left: number, currency: Currency): AppError {
  const [wanted, refundable] = [amount, left].map((minor) => `${formatMinorUnits(minor, currency)} ${currency}`);
  return new AppError('conflict', `The refund of ${wanted} exceeds the refundable ${refundable}`);
}

/** Job: polls refunds whose result is unknown or late. */
export async function pollRefunds(ctx: Context): Promise<void> {
  const due = await ctx.db.writer
    .selectFrom('order_refund')
    .innerJoin('payment_order', 'payment_order.id', 'order_refund.order_id')
    .selectAll('order_refund')
    .select('payment_order.processor_id')
    .where('order_refund.next_ask_time', '<=', nowSeconds(ctx.clock))
    .orderBy('order_refund.next_ask_time')
    .limit(PER_RUN)
    .execute();
  await pollAll(ctx, due, (row) => {
    const tries = row.tries + 1;
    const update = (changes: Partial<Pick<RefundRow, 'tries' | 'next_ask_time'>>): Promise<boolean> =>
      // A transaction, so that no other one that has read `tries` is about to return the points.
      ctx.db.writer.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('order_refund')
          .set(changes)
          .where('id', '=', row.id)
          .where('next_ask_time', '=', row.next_ask_time)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      });
    return {
      postpone: (time) => update({ next_ask_time: time }),
      claim: () => update({ tries, next_ask_time: nowSeconds(ctx.clock) + getPollDelay(tries) }),
      poll: () => sendRefund(ctx, { ...row, tries }),
    };
  });
}

const getPollDelay = (tries: number): number =>
  POLL_INTERVALS[Math.min(tries, POLL_INTERVALS.length - 1)] ?? POLL_INTERVALS[0];

/** Number of earlier tries after which an order is marked for review if the outcome of its refund is still unknown. */
const REVIEW_TRIES = 5;

/** Refund on its way to the payment provider. */
interface RefundAttempt {
  row: RefundRow;
  order: OrderRow;
  provider: PaymentProviderClient;
  paid: PaidOrder;
  wanted: Refund;
}

/**
 * Sends a refund. Retries use the same number, so that the money is sent once.
 * @param row with the number of this try; 0 for the first
 */
async function sendRefund(ctx: Context, row: RefundRow): Promise<void> {
  try {
    const sending = await loadRefundAttempt(ctx, row);
    try {
      await pollOrSend(ctx, sending);
    } catch (error) {
      if (!(error instanceof PaymentProviderError)) throw error;
      await failRefund(ctx, sending, { reason: error.message, providerNo: '', refusal: error });
    }
  } catch (error) {
    ctx.log.warn({ err: error, refund: row.id }, 'the outcome of a refund is not known yet');
    if (row.tries >= REVIEW_TRIES)
      await reviewUnknown(ctx, row, error).catch((cause: unknown) => {
        ctx.log.error(
          { err: cause, refund: row.id },
          'a refund could not be marked for review; its next poll tries again',
        );
      });
  }
  await ctx.changes.publish({ topic: 'orders', ids: [row.order_id] });
}

async function loadRefundAttempt(ctx: Context, row: RefundRow): Promise<RefundAttempt> {
  const order = await findOrder(ctx.db.writer, row.order_id);
  return {
    row,
    order,
    provider: connectProvider(ctx, await findOrderProvider(ctx.db.writer, order)),
    paid: {
      tradeNo: order.trade_no,
      ref: order.processor_ref,
      providerNo: order.processor_no ?? '',
      amount: order.order_amount,
      currency: order.currency,
    },
    wanted: { refundNo: row.id, amount: row.amount, reason: row.reason },
  };
}

async function reviewUnknown(ctx: Context, row: RefundRow, error: unknown): Promise<void> {
  // Other messages differ from try to try, and each one would be another event of the order.
  const reason =
    error instanceof UnknownRefundError
      ? error.message
      : 'The outcome of the refund could not be determined. See the log';
  await reviewPending(ctx, { ...row, reason });
}

async function reviewPending(ctx: Context, row: RefundRow): Promise<void> {
  await ctx.ledger.transaction(async (trx) => {
    // Its event arrived meanwhile.
    if ((await findRefund(trx, row.id)).state !== 'pending') return;
    await markRefundForReview(ctx, trx, await findOrder(trx, row.order_id), row);
  });
}

/** The payment provider refused a question about a refund that it may have made. */
class UnknownRefundError extends Error {}

/**
 * Asks about a refund that may have been sent before. Only a refusal of the refund itself is final: a refused question,
 * after a change of keys or during maintenance, says nothing about the money.
 * @throws UnknownRefundError
 */
async function askAboutRefund<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof PaymentProviderError ? new UnknownRefundError(error.message, { cause: error }) : error;
  }
}

const NOT_SENT: RefundState = { state: 'unknown' };

async function pollOrSend(ctx: Context, sending: RefundAttempt): Promise<void> {
  const { row, provider, paid, wanted } = sending;
  let state = row.tries > 0 ? await askAboutRefund(() => provider.pollRefund(paid, wanted)) : NOT_SENT;
  if (state.state === 'unknown') {
    // Another attempt may have returned the points meanwhile.
    if ((await findRefund(ctx.db.writer, row.id)).state !== 'pending') return;
    state = await provider.refund(paid, wanted);
  }
  if (state.state === 'done')
    // It may have been given up after it was sent; then it is recorded like one that was made at the provider.
    await applyRefundEvent(ctx, row.order_id, {
      what: 'refunded',
      tradeNo: paid.tradeNo,
      refundNo: row.id,
      providerRefundNo: state.providerNo,
      amount: row.amount,
    });
  else if (state.state === 'unclear') await reviewPending(ctx, { ...row, reason: state.reason });
  else if (state.state === 'failed') await failRefund(ctx, sending, state);
}

interface RefundFailure {
  reason: string;
  /** Provider's number of the refund; empty without one. */
  providerNo: string;
  refusal?: PaymentProviderError;
}

/**
 * Returns the points of a refund that failed, unless the provider reports that more of the payment was refunded than
 * is known here: then the refund stays pending, and the order needs a review.
 */
async function failRefund(
  ctx: Context,
  sending: RefundAttempt,
  { reason, providerNo, refusal }: RefundFailure,
): Promise<void> {
  const { row, order } = sending;
  const { events, minAmount } = await findOtherRefunds(sending, refusal);
  for (const event of events) await applyWebhookEvent(ctx, order, event);
  await ctx.ledger.transaction(async (trx, moves) => {
    const refund = await findRefund(trx, row.id);
    // Its event arrived meanwhile, or another attempt sends it: a refusal says nothing about a refund that was made.
    if (refusal !== undefined && (refund.state !== 'pending' || refund.tries !== row.tries)) return;
    if (minAmount > (await sumConfirmedRefunds(trx, order.id)))
      return markRefundForReview(ctx, trx, order, { ...row, reason });
    return reverseRefund(ctx, trx, moves, refund, { event: 'refund-failed', detail: reason, providerNo });
  });
}

async function findOtherRefunds(
  { row, provider, paid, wanted }: RefundAttempt,
  refusal: PaymentProviderError | undefined,
): Promise<ReportedRefunds> {
  const list = (): Promise<ReportedRefunds> => provider.listReportedRefunds(paid, wanted, refusal);
  if (row.tries > 0) return askAboutRefund(list);
  try {
    return await list();
  } catch (error) {
    // A payment that the provider doesn't know, such as one that staff confirmed, has no refunds there.
    if (error instanceof PaymentProviderError) return NO_REPORTED_REFUNDS;
    throw error;
  }
}

/** Returns the sum of an order's refunds that the payment provider has confirmed. */
async function sumConfirmedRefunds(trx: Transaction<Schema>, orderId: number): Promise<number> {
  const { sum } = await trx
    .selectFrom('order_refund')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('amount'), eb.lit(0)).as('sum'))
    .where('order_id', '=', orderId)
    .where('state', '=', 'done')
    .where('is_dispute', '=', 0)
    .where('processor_no', '<>', '')
    .executeTakeFirstOrThrow();
  return sum;
}

function findRefund(db: Kysely<Schema>, id: string): Promise<RefundRow> {
  return db.selectFrom('order_refund').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** @throws AppError `invalid-input` for fractions of the minor unit */
function toMinor(amount: number, currency: Currency): number {
  const minor = amount * 10 ** getCurrencyDecimals(currency);
  const whole = Math.round(minor);
  if (Math.abs(minor - whole) > 1e-6 || whole < 1)
    throw fieldError('amount', 'not-multiple-of', `The amount must be a multiple of the smallest unit of ${currency}`);
  return whole;
}
