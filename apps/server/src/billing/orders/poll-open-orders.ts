/**
 * Reconciles orders: the payment provider is polled while an order is open, at growing intervals, and for a day after
 * its end, so that a payment is credited even if its webhook event never arrives.
 */
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { connectProvider } from '../payment-providers/payment-providers.ts';
import { findOrderProvider, type OrderRow, recordOrderEvent } from './order-rows.ts';
import { applyPaymentState, closeUnpaid } from './order-states.ts';

/** Seconds before the next poll, by the number of polls so far. */
const POLL_INTERVALS = [30, 30, 60, 60, 120, 300, 600] as const;
/** Seconds after the order's end of the late polls: a payment can be delayed. */
const LATE_POLL_DELAYS = [600, 3_600, 21_600, 86_400] as const;
/** Seconds after its end for which an order stays open while the provider doesn't respond. */
const SILENCE_MAX = 3 * 86_400;
/** Seconds after its end for which the buyer can have the provider polled: some providers can't close an order. */
const BUYER_POLLS_MAX = 30 * 86_400;
const PER_RUN = 50;

/** Job: polls all due orders. */
export async function pollOrders(ctx: Context): Promise<void> {
  const due = await ctx.db.writer
    .selectFrom('payment_order')
    .selectAll()
    .where('next_ask_time', '<=', nowSeconds(ctx.clock))
    .orderBy('next_ask_time')
    .limit(PER_RUN)
    .execute();
  await pollAll(ctx, due, (order) => {
    const update = async (changes: Partial<Pick<OrderRow, 'asks' | 'next_ask_time'>>): Promise<boolean> => {
      const { numUpdatedRows } = await ctx.db.writer
        .updateTable('payment_order')
        .set(changes)
        .where('id', '=', order.id)
        .where('asks', '=', order.asks)
        .where('next_ask_time', '=', order.next_ask_time)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    };
    return {
      postpone: (time) => update({ next_ask_time: time }),
      claim: () => update({ asks: order.asks + 1, next_ask_time: computeNextPollTime(order, nowSeconds(ctx.clock)) }),
      poll: () => pollOrClose(ctx, order),
    };
  });
}

async function pollOrClose(ctx: Context, order: OrderRow): Promise<void> {
  try {
    await pollOrder(ctx, order);
  } catch (error) {
    ctx.log.warn(
      { err: error, order: order.trade_no },
      'the state of an order could not be fetched from its payment provider',
    );
    // An order must not stay open forever if its provider is gone; a payment reported later is still credited.
    if (order.expires_time + SILENCE_MAX <= nowSeconds(ctx.clock))
      await closeUnpaid(ctx, order.id, 'closed', { detail: 'The payment provider does not respond' });
  }
}

function computeNextPollTime(order: OrderRow, now: number): number | null {
  if (order.status === 'pending') {
    const wait = POLL_INTERVALS[Math.min(order.asks, POLL_INTERVALS.length - 1)] ?? POLL_INTERVALS[0];
    return now < order.expires_time ? Math.min(now + wait, order.expires_time) : now + LATE_POLL_DELAYS[0];
  }
  const wait = LATE_POLL_DELAYS.find((late) => order.expires_time + late > now);
  return wait === undefined ? null : order.expires_time + wait;
}

/** Polls once and applies the state; closes an expired order, at the provider too. */
async function pollOrder(ctx: Context, order: OrderRow): Promise<void> {
  const provider = connectProvider(ctx, await findOrderProvider(ctx.db.writer, order));
  const opened = {
    tradeNo: order.trade_no,
    ref: order.processor_ref,
    amount: order.order_amount,
    currency: order.currency,
  };
  const state = await provider.pollOrder(opened);
  await applyPaymentState(ctx, order, state);
  const isOver = order.status === 'pending' && order.expires_time <= nowSeconds(ctx.clock);
  if (!isOver || (state.state !== 'pending' && state.state !== 'unknown')) return;
  await provider.closeOrder(opened);
  await closeUnpaid(ctx, order.id, 'closed', { detail: 'The payment was not made in time' });
}

/** Returns whether a buyer may still have the order's payment provider polled. */
export function canBuyerPoll({ paid_time, expires_time }: OrderRow, now: number): boolean {
  return paid_time === null && now < expires_time + BUYER_POLLS_MAX;
}

/** Polls the order now at a user's request. @throws AppError `upstream-failed` without a response */
export async function pollOrderNow(ctx: Context, order: OrderRow, by: number | null): Promise<void> {
  await recordRequestedPoll(ctx, order.id, by);
  try {
    await pollOrder(ctx, order);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('upstream-failed', 'The payment provider did not respond. Try again later.', { cause: error });
  }
}

/** Records a poll; a repetition only moves its event's time, because a buyer can repeat it without end. */
async function recordRequestedPoll(ctx: Context, orderId: number, by: number | null): Promise<void> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('order_event')
    .set({ created_time: nowSeconds(ctx.clock) })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('order_event')
        .select((sub) => sub.fn.max('id').as('id'))
        .where('order_id', '=', orderId),
    )
    .where('event', '=', 'asked')
    .where('user_id', 'is not distinct from', by)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await recordOrderEvent(ctx, ctx.db.writer, orderId, 'asked', { by });
}

const POLL_CONCURRENCY = 5;
/**
 * Limits slow providers: one that takes longer is polled no more in this run, so that it delays no other provider's
 * orders.
 */
const SLOW_MS = 5_000;
/** Seconds after which an item that was skipped for a slow provider is due again, behind those of other providers. */
const SKIPPED_DELAY = 60;

interface Poll {
  /** Moves the poll to `time` (UTC seconds), because it isn't sent in this run. It doesn't count as a poll. */
  postpone(time: number): Promise<unknown>;
  /**
   * Records the poll before it is sent, in case this process crashes on it.
   * @returns false if nothing is to be polled, because another node polls or the item was settled meanwhile
   */
  claim(): Promise<boolean>;
  poll(): Promise<void>;
}

/** Polls payment providers about many items, a few concurrently. */
export async function pollAll<T extends { processor_id: number }>(
  { clock }: Context,
  due: readonly T[],
  questionOf: (thing: T) => Poll,
): Promise<void> {
  const slow = new Set<number>();
  const poll = async (thing: T): Promise<void> => {
    const question = questionOf(thing);
    if (slow.has(thing.processor_id)) {
      await question.postpone(nowSeconds(clock) + SKIPPED_DELAY);
      return;
    }
    if (!(await question.claim())) return;
    const begun = clock.elapsed();
    await question.poll();
    if (clock.elapsed() - begun > SLOW_MS) slow.add(thing.processor_id);
  };
  for (let first = 0; first < due.length; first += POLL_CONCURRENCY)
    await Promise.all(due.slice(first, first + POLL_CONCURRENCY).map(poll));
}
