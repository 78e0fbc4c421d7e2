import { finished } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { createKeyedSemaphore } from '../../platform/limits/keyed-semaphore.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { receiveWebhook } from './webhooks.ts';

const BODY_MAX_BYTES = 65_536;
/**
 * Maximum bytes of a JSON body. Stripe's events about a dispute contain its evidence: up to 150,000 characters, each of
 * which takes up to six bytes. https://docs.stripe.com/api/disputes/update
 */
const JSON_BODY_MAX_BYTES = 1_048_576;
/** Maximum number of longer bodies than `BODY_MAX_BYTES` in memory, because a stranger can send them too. */
const LONG_BODIES_MAX = 16;
/** Milliseconds that a longer body waits for its turn. A provider sends a refused event again. */
const LONG_BODY_WAIT_MS = 10_000;
/** All longer bodies wait in one queue. */
const LANE = 0;
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
  const acquireLongBody = createKeyedSemaphore(
    ctx.clock,
    LONG_BODIES_MAX,
    LONG_BODY_WAIT_MS,
    'Too many long events arrive at once. Send this one again later.',
  );
  const keepBytes = async (_request: FastifyRequest, body: Buffer) => body;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES }, keepBytes);
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: JSON_BODY_MAX_BYTES }, keepBytes);
    // Before the body is read.
    scope.addHook('onRequest', async (request, reply) => {
      if (mayHaveLongBody(request)) finished(reply.raw, await acquireLongBody(LANE));
    });
    for (const method of ['GET', 'POST'] as const)
      scope.route<{ Params: { uuid: string } }>({
        method,
        url: '/api/payment/notify/:uuid',
        exposeHeadRoute: false,
        config: { entrance: { access: 'payment provider' } },
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

function flattenHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')] as const);
  return Object.fromEntries(entries);
}
