import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { receiveWebhook } from './webhooks.ts';

const BODY_MAX_BYTES = 65_536;
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
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES },
      async (_request: FastifyRequest, body: Buffer) => body,
    );
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

function flattenHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')] as const);
  return Object.fromEntries(entries);
}
