import { finished } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { type AcquireSlot, createKeyedSemaphore } from '../../platform/limits/keyed-semaphore.ts';
import { createLocalLimit, toNetwork } from '../../platform/limits/rate-limit.ts';
import { isKnownProvider, receiveWebhook } from './webhooks.ts';

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

/** Returns whether a body may exceed `BODY_MAX_BYTES`. Without a `content-length`, its length is unknown. */
function mayHaveLongBody({ method, headers }: FastifyRequest): boolean {
  const bytes = Number(headers['content-length']);
  const isJson = /json/i.test(headers['content-type'] ?? '');
  return method === 'POST' && isJson && (Number.isNaN(bytes) || bytes > BODY_MAX_BYTES);
}

function slowBodyError(): AppError {
  const seconds = BODY_TIMEOUT_MS / 1000;
  return new AppError('invalid-input', `The event took more than ${seconds} seconds to arrive. Send it again faster.`);
}

function flattenHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')] as const);
  return Object.fromEntries(entries);
}
