import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';

/**
 * Route label of requests without a route: unknown paths, and console pages, whose paths are routed in the browser.
 */
const NO_ROUTE = 'other';
/** Other methods are counted together, because a client may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests to the management API, and reports their spans. */
export function observeRequests(app: FastifyInstance, ctx: Context): void {
  app.addHook('onResponse', async (request, reply) => {
    const method = METHODS.has(request.method) ? request.method : NO_ROUTE;
    const route = normalizeRoute(request.routeOptions.url);
    ctx.metrics.httpRequests.add([method, route, String(reply.statusCode)]);
    ctx.metrics.httpDuration.observe([method, route], reply.elapsedTime / 1000);
    if (route.startsWith('/api/')) reportSpan(ctx, request, reply, `${method} ${route}`);
  });
}

/** Normalizes a route: each file of the console has a route, with another name in each build. */
function normalizeRoute(route = NO_ROUTE): string {
  return route.startsWith('/assets/') ? '/assets/*' : route;
}

function reportSpan({ tracing, clock }: Context, request: FastifyRequest, reply: FastifyReply, name: string): void {
  const trace = tracing?.begin(request.headers['traceparent']);
  if (tracing === undefined || trace === undefined) return;
  const endedAt = clock.now();
  const status = reply.statusCode;
  tracing.end({
    ...trace,
    name,
    kind: 'server',
    startedAt: endedAt - reply.elapsedTime,
    endedAt,
    attributes: {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url,
      'http.response.status_code': status,
      'error.type': status >= 500 ? String(status) : undefined,
      'switchyard.request.id': request.id,
    },
    isError: status >= 500,
  });
}
