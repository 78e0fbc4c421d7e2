/** Receives webhook events of payment providers. An event is trusted only after its provider has verified it. */
import { finished } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { mayBeLonger } from '../../platform/http/json-body-limits.ts';
import { type AcquireSlot, createKeyedSemaphore } from '../../platform/limits/keyed-semaphore.ts';
import { createLocalLimit, type LocalLimit, toNetwork } from '../../platform/limits/rate-limit.ts';
import {
  type BuyerPage,
  InvalidConfigError,
  InvalidWebhookError,
  type PaymentProviderClient,
  type WebhookRequest,
} from '../payment-integrations/payment-integrations.ts';
import { connectProvider } from '../payment-providers/payment-providers.ts';
import { applyWebhookEvent } from './order-states.ts';

/** Log limit by the payment provider's id: anyone can send invalid events, which must not fill the disk. */
type Refusals = LocalLimit;

const NOT_FOUND_PAGE: BuyerPage = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' };

/** Returns whether there is such a payment provider, which may be disabled or removed. */
async function isKnownProvider(ctx: Context, uuid: string): Promise<boolean> {
  const row = await ctx.db.writer.selectFrom('processor').select('id').where('uuid', '=', uuid).executeTakeFirst();
  return row !== undefined;
}

/**
 * Receives an event and confirms it only after the commit. Disabled and removed providers still receive events; an
 * unknown one, or one without a secret for verification, gets 404.
 */
async function receiveWebhook(
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

const BODY_MAX_BYTES = 65_536;
/**
 * Maximum bytes of a JSON body. Stripe's events about a dispute contain its evidence: up to 150,000 characters, each of
 * which takes up to six bytes. https://docs.stripe.com/api/disputes/update
 */
const JSON_BODY_MAX_BYTES = 1_048_576;
/**
 * Maximum number of longer bodies than `BODY_MAX_BYTES` in memory for one payment provider, because a stranger who
 * knows its address can send them too.
 */
const LONG_BODIES_MAX = 16;
/** Maximum number of them from one address, so that a stranger cannot take all. */
const LONG_BODIES_PER_ADDRESS = 4;
/** Milliseconds that a longer body waits for its turn. A provider sends a refused event again. */
const LONG_BODY_WAIT_MS = 10_000;
/** Maximum milliseconds until a body is complete: a stranger who sends slowly would keep providers' events out. */
const BODY_TIMEOUT_MS = 5_000;
const MINUTE_MS = 60_000;
const LOGGED_PER_MINUTE = 30;

/**
 * Serves webhooks outside of the API contract: providers choose their format, and sign the exact bytes of the body.
 */
export function serveWebhooks(
  app: FastifyInstance,
  ctx: Context,
  addressOf: (request: FastifyRequest) => string,
): void {
  const refusals = createLocalLimit(ctx.clock, LOGGED_PER_MINUTE, MINUTE_MS);
  const limitLongBodies = (atOnce: number): AcquireSlot =>
    createKeyedSemaphore(ctx.clock, atOnce, LONG_BODY_WAIT_MS, 'Too many long events arrive at once.');
  const acquireForAddress = limitLongBodies(LONG_BODIES_PER_ADDRESS);
  const acquireForProvider = limitLongBodies(LONG_BODIES_MAX);
  const keepBytes = async (_request: FastifyRequest, body: Buffer) => body;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES }, keepBytes);
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: JSON_BODY_MAX_BYTES }, keepBytes);
    for (const method of ['GET', 'POST'] as const)
      scope.route<{ Params: { uuid: string } }>({
        method,
        url: '/api/payment/notify/:uuid',
        exposeHeadRoute: false,
        config: { entrance: { access: 'payment provider' } },
        // Before the body is read.
        onRequest: async (request, reply) => {
          const { uuid } = request.params;
          if (!(await isKnownProvider(ctx, uuid))) throw notFound('payment provider', uuid);
          if (mayHaveLongBody(request)) {
            finished(reply.raw, await acquireForAddress(toNetwork(addressOf(request))));
            finished(reply.raw, await acquireForProvider(uuid));
          }
          const timer = ctx.clock.after(BODY_TIMEOUT_MS, () => {
            if (!request.raw.complete && !reply.sent) reply.header('connection', 'close').send(slowBodyError());
          });
          finished(request.raw, () => timer.close());
        },
        handler: async (request, reply) => {
          const url = new URL(request.url, 'http://localhost');
          const webhook = {
            method,
            headers: flattenHeaders(request.headers),
            query: url.searchParams,
            body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
            address: addressOf(request),
          };
          const answer = await receiveWebhook(ctx, request.params.uuid, webhook, refusals);
          return reply.status(answer.status).headers(answer.headers).send(answer.body);
        },
      });
  });
}

function mayHaveLongBody(request: FastifyRequest): boolean {
  const isJson = /json/i.test(request.headers['content-type'] ?? '');
  return request.method === 'POST' && isJson && mayBeLonger(request, BODY_MAX_BYTES);
}

function slowBodyError(): AppError {
  const seconds = BODY_TIMEOUT_MS / 1000;
  return new AppError('invalid-input', `The event took more than ${seconds} seconds to arrive. Send it again faster.`);
}

function flattenHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')] as const);
  return Object.fromEntries(entries);
}
