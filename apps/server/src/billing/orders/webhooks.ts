/** Receives webhook events of payment providers. An event is trusted only after its provider has verified it. */
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { LocalLimit } from '../../platform/limits/rate-limit.ts';
import { connectProvider } from '../payment-providers/payment-providers.ts';
import {
  type BuyerPage,
  InvalidConfigError,
  InvalidWebhookError,
  type PaymentProviderClient,
  type WebhookRequest,
} from '../payments/payments.ts';
import { applyWebhookEvent } from './order-states.ts';

/** Log limit by the payment provider's id: anyone can send invalid events, which must not fill the disk. */
type Refusals = LocalLimit;

const NOT_FOUND_PAGE: BuyerPage = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' };

/** Returns whether there is such a payment provider, which may be disabled or removed. */
export async function isKnownProvider(ctx: Context, uuid: string): Promise<boolean> {
  const row = await ctx.db.writer.selectFrom('processor').select('id').where('uuid', '=', uuid).executeTakeFirst();
  return row !== undefined;
}

/**
 * Receives an event and confirms it only after the commit. Disabled and removed providers still receive events; an
 * unknown one, or one without a secret for verification, gets 404.
 */
export async function receiveWebhook(
  ctx: Context,
  uuid: string,
  webhook: WebhookRequest,
  refusals: Refusals,
): Promise<BuyerPage> {
  const row = await ctx.db.writer.selectFrom('processor').selectAll().where('uuid', '=', uuid).executeTakeFirst();
  if (row === undefined) return NOT_FOUND_PAGE;
  let provider: PaymentProviderClient;
  try {
    provider = connectProvider(ctx, row);
  } catch (error) {
    if (!(error instanceof InvalidConfigError) && !(error instanceof AppError)) throw error;
    if (refusals.tryConsume(String(row.id)))
      ctx.log.error(
        { processor: row.id, reason: error.message },
        'received a webhook event for a payment provider whose configuration is invalid',
      );
    return NOT_FOUND_PAGE;
  }
  const page = await provider.showPage?.(webhook);
  if (page !== undefined) {
    if (page.failure !== undefined && refusals.tryConsume(String(row.id)))
      ctx.log.warn({ err: page.failure, processor: row.id }, 'the payment page of a buyer could not be opened');
    return page;
  }
  const { status, contentType, body } = provider.respondToWebhook(
    await processWebhook(ctx, row.id, provider, webhook, refusals),
  );
  return { status, headers: { 'content-type': contentType }, body };
}

async function processWebhook(
  ctx: Context,
  providerId: number,
  provider: PaymentProviderClient,
  webhook: WebhookRequest,
  refusals: Refusals,
): Promise<boolean> {
  try {
    const event = await provider.readWebhook(webhook);
    if (event === undefined) return true;
    const order = await ctx.db.writer
      .selectFrom('payment_order')
      .selectAll()
      .where('trade_no', '=', event.tradeNo)
      // An order of one provider cannot be paid through another.
      .where('processor_id', '=', providerId)
      .executeTakeFirst();
    if (order === undefined) {
      // An account reports all payments to each of its endpoints. Orders exist before their events, so resending
      // would change nothing, and a provider stops sending after repeated refusals.
      ctx.log.warn(
        { processor: providerId, order: event.tradeNo },
        'a webhook event names no order of its payment provider',
      );
      return true;
    }
    await applyWebhookEvent(ctx, order, event);
    return true;
  } catch (error) {
    const { address } = webhook;
    if (!(error instanceof InvalidWebhookError))
      ctx.log.error({ err: error, processor: providerId, address }, 'a webhook event could not be processed');
    else if (refusals.tryConsume(String(providerId)))
      ctx.log.warn({ processor: providerId, address, reason: error.message }, 'a webhook event was rejected');
    return false;
  }
}
