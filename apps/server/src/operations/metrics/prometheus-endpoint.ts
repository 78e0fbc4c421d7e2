/** `GET /api/metrics`, for Prometheus. Outside of the API contract, because its credentials and responses differ. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MetricsReader } from '../../config.ts';
import type { Context } from '../../context.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { areSecretsEqual } from '../../platform/secrets/vault.ts';
import type { HistogramPoint } from './metric-registry.ts';
import type { Family } from './metrics.ts';

const GUESSES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

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

export function formatPrometheusText(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const family of families) {
    const { name, help, type, labels } = family;
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
    if (family.type === 'histogram')
      for (const point of family.points)
        addHistogram(lines, name, formatLabels(labels, point.values), family.bounds, point);
    else
      for (const { values, value } of family.points)
        lines.push(`${name}${wrapLabels(formatLabels(labels, values))} ${formatNumber(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

function addHistogram(
  lines: string[],
  name: string,
  labels: string,
  bounds: readonly number[],
  { counts, sum, count }: HistogramPoint,
): void {
  const before = labels === '' ? '' : `${labels},`;
  let upTo = 0;
  for (const [index, bound] of bounds.entries()) {
    upTo += counts[index] ?? 0;
    lines.push(`${name}_bucket{${before}le="${bound}"} ${upTo}`);
  }
  lines.push(
    `${name}_bucket{${before}le="+Inf"} ${count}`,
    `${name}_sum${wrapLabels(labels)} ${formatNumber(sum)}`,
    `${name}_count${wrapLabels(labels)} ${count}`,
  );
}

const wrapLabels = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

/** Label texts of permanent series; formatting thousands of them is most of what a scrape costs. */
const texts = new WeakMap<readonly string[], string>();

function formatLabels(names: readonly string[], values: readonly string[]): string {
  const known = texts.get(values);
  if (known !== undefined) return known;
  const text = names.map((name, index) => `${name}="${escapeValue(values[index] ?? '')}"`).join(',');
  texts.set(values, text);
  return text;
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
