/** `GET /api/metrics`, for Prometheus. Outside of the API contract, because its credentials and responses differ. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MetricsReader } from '../../config.ts';
import type { Context } from '../../context.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { areSecretsEqual } from '../../platform/secrets/vault.ts';
import type { Family } from './metrics.ts';
import { formatPrometheusText, PROMETHEUS_TEXT } from './prometheus-text.ts';

const GUESSES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

export interface MetricsEndpoint {
  read: () => Promise<Family[]>;
  addressOf: (request: FastifyRequest) => string;
}

/** Serves the endpoint, if readers are configured. */
export function serveMetrics(app: FastifyInstance, ctx: Context, { read, addressOf }: MetricsEndpoint): void {
  const { config, vault } = ctx;
  const { metricsReaders } = config;
  if (metricsReaders.length === 0) return;
  const guesses = createAddressLimit(ctx, 'wrong credentials from this address', GUESSES_PER_MINUTE, MINUTE_MS);
  const challenge = [...new Set(metricsReaders.map(({ scheme }) => `${scheme} realm="metrics"`))].join(', ');
  const mayRead = (authorization: string): boolean => {
    const [, scheme = '', credentials = ''] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
    const presented = vault.fingerprint(credentials);
    const isReader = (reader: MetricsReader): boolean =>
      reader.scheme.toLowerCase() === scheme.toLowerCase() &&
      areSecretsEqual(vault.fingerprint(reader.credentials), presented);
    return metricsReaders.some(isReader);
  };
  app.route({
    method: 'GET',
    url: '/api/metrics',
    exposeHeadRoute: false,
    config: { entrance: { access: 'metrics reader' } },
    handler: async (request, reply) => {
      const address = addressOf(request);
      await guesses.check(address);
      const { authorization } = request.headers;
      if (authorization === undefined || !mayRead(authorization)) {
        // A request without credentials is not a guess.
        if (authorization !== undefined) await guesses.consume(address);
        return reply.status(401).header('www-authenticate', challenge).type('text/plain').send('Unauthorized\n');
      }
      return reply.type(PROMETHEUS_TEXT).send(formatPrometheusText(await read()));
    },
  });
}
