/** Webhook events of payment providers. No event is trusted before its provider has verified it. */
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { LocalLimit } from '../../platform/limits/rate-limit.ts';
import { connectProvider } from '../payment-providers/payment-providers.ts';
import {
  type BuyerPage,
  InvalidConfig,
  InvalidWebhook,
  type PaymentProviderClient,
  type WebhookRequest,
} from '../payments/payments.ts';
import { applyWebhookEvent } from './order-states.ts';

/**
 * Log limit by the payment provider's id: anybody can send events that are refused, and they must not fill the disk.
 */
type Refusals = LocalLimit;

const NOT_FOUND_PAGE: BuyerPage = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'not found',
};

/**
 * The answer says "taken" only after the commit. Processors that were disabled or taken away are still listened to; one
 * that is unknown, or has no secret to verify with, is not there.
 */
export async function receiveWebhook(
  ctx: Context,
  uuid: string,
  notice: WebhookRequest,
  refusals: Refusals,
): Promise<BuyerPage> {
  const row = await ctx.db.writer.selectFrom('processor').selectAll().where('uuid', '=', uuid).executeTakeFirst();
  if (row === undefined) return NOT_FOUND_PAGE;
  let processor: PaymentProviderClient;
  try {
    processor = connectProvider(ctx, row);
  } catch (error) {
    if (!(error instanceof InvalidConfig) && !(error instanceof AppError)) throw error;
    if (refusals.tryConsume(String(row.id)))
      ctx.log.error(
        { processor: row.id, reason: error.message },
        'received a webhook event for a payment provider whose configuration is invalid',
      );
    return NOT_FOUND_PAGE;
  }
  const page = await processor.showPage?.(notice);
  if (page !== undefined) {
    if (page.failure !== undefined && refusals.tryConsume(String(row.id)))
      ctx.log.warn({ err: page.failure, processor: row.id }, 'the payment page of a buyer could not be opened');
    return page;
  }
  const { status, contentType, body } = processor.respondToWebhook(
    await processWebhook(ctx, row.id, processor, notice, refusals),
  );
  return { status, headers: { 'content-type': contentType }, body };
}

async function processWebhook(
  ctx: Context,
  processorId: number,
  processor: PaymentProviderClient,
  notice: WebhookRequest,
  refusals: Refusals,
): Promise<boolean> {
  try {
    const event = await processor.readWebhook(notice);
    if (event === undefined) return true;
    const order = await ctx.db.writer
      .selectFrom('payment_order')
      .selectAll()
      .where('trade_no', '=', event.tradeNo)
      // An order of one gateway cannot be paid through another.
      .where('processor_id', '=', processorId)
      .executeTakeFirst();
    if (order === undefined) {
      // Accounts tell each of their gateways of all payments. Orders are older than what is told of them: sending it again
      // changes nothing, and a company that is refused again and again sends nothing any more.
      ctx.log.warn(
        { processor: processorId, order: event.tradeNo },
        'a webhook event names no order of its payment provider',
      );
      return true;
    }
    await applyWebhookEvent(ctx, order, event);
    return true;
  } catch (error) {
    const { address } = notice;
    if (!(error instanceof InvalidWebhook))
      ctx.log.error({ err: error, processor: processorId, address }, 'a webhook event could not be processed');
    else if (refusals.tryConsume(String(processorId)))
      ctx.log.warn({ processor: processorId, address, reason: error.message }, 'a webhook event was rejected');
    return false;
  }
}
