/**
 * Metrics of this server. A name here is a name in `docs/manual/monitoring.md`, in the dashboard and in the alerts of
 * `deploy/`. Gauges are read at each scrape: `gauge-reader.ts`.
 */
import { createRegistry, type Family, type Registry } from './metric-registry.ts';

/** State that only the gateway knows. */
export interface GatewayState {
  /** Relay requests that occupy a concurrency slot. */
  readonly running: number;
  /** Running relay requests whose client has received part of the response. */
  readonly streams: number;
  readonly memoryBytes: number;
  /** Returns the channels in use, with the provider of each. */
  channels(): readonly { id: number; provider: string }[];
}

export type { Family, NumberPoint } from './metric-registry.ts';
export type { Span, TraceContext, Tracing } from './trace.ts';
export { formatTraceparent, newSpanId } from './trace.ts';

/** Buckets of OpenTelemetry's conventions, so that durations are comparable. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const SHORT_SECONDS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = createRegistry();
  return {
    ...createManagementMetrics(registry),
    ...createRelayMetrics(registry),
    ...createConventionMetrics(registry),
    ...createLedgerMetrics(registry),
    ...createJobMetrics(registry),
    spans: registry.counter({
      name: 'switchyard_spans_total',
      help: 'Trace spans that were sent to the collector, or dropped because it did not accept them in time.',
      labels: ['result'],
    }),
    families: (): Family[] => registry.families(),
  };
}

export function observeCommit(metrics: Metrics, written: number, failed: number, ms: number): void {
  metrics.commits.observe([], ms / 1000);
  metrics.movements.add(['written'], written);
  if (failed > 0) metrics.movements.add(['failed'], failed);
}

function createManagementMetrics(registry: Registry) {
  return {
    httpRequests: registry.counter({
      name: 'switchyard_http_requests_total',
      help: "Requests to the management API and for the console's files.",
      labels: ['method', 'route', 'status'],
    }),
    httpDuration: registry.histogram({
      name: 'switchyard_http_request_duration_seconds',
      help: 'Time from the arrival of such a request to the end of its response.',
      labels: ['method', 'route'],
      bounds: SECONDS,
    }),
  };
}

const upstreamLabels = ['model', 'channel', 'provider'] as const;

function createRelayMetrics(registry: Registry) {
  return {
    requests: registry.counter({
      name: 'switchyard_relay_requests_total',
      help: 'Completed relay requests, by last channel tried.',
      labels: ['operation', 'dialect', ...upstreamLabels, 'outcome', 'status'],
    }),
    duration: registry.histogram({
      name: 'switchyard_relay_request_duration_seconds',
      help: 'Time from the arrival of a relay request to its end, including the charge.',
      labels: ['operation', 'model'],
      bounds: SECONDS,
    }),
    firstByte: registry.histogram({
      name: 'switchyard_relay_first_byte_seconds',
      help: 'Time from the arrival of a relay request to the first content of its response.',
      labels: ['operation', 'model'],
      bounds: SECONDS,
    }),
    refusals: registry.counter({
      name: 'switchyard_relay_refusals_total',
      help: 'Relay requests that ended with an error, by error code.',
      labels: ['reason'],
    }),
    retries: registry.counter({
      name: 'switchyard_relay_retries_total',
      help: 'Attempts after the first attempt of each request.',
      labels: ['operation'],
    }),
    attempts: registry.counter({
      name: 'switchyard_upstream_attempts_total',
      help: 'Upstream calls for relay requests.',
      labels: ['channel', 'provider', 'outcome', 'status'],
    }),
    attemptDuration: registry.histogram({
      name: 'switchyard_upstream_attempt_duration_seconds',
      help: 'Time from the start of such a call to the end of its response.',
      labels: ['channel', 'provider'],
      bounds: SECONDS,
    }),
    tokens: registry.counter({
      name: 'switchyard_tokens_total',
      help: 'Charged tokens; input tokens that the provider had cached are counted separately.',
      labels: [...upstreamLabels, 'kind'],
    }),
    points: registry.counter({
      name: 'switchyard_charged_points_total',
      help: 'Charged points, 500000 to the dollar.',
      labels: upstreamLabels,
    }),
  };
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/ */
function createConventionMetrics(registry: Registry) {
  const labels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
  const askedInDots = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'];
  return {
    operationDuration: registry.histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Duration of the same upstream calls, by the conventions of OpenTelemetry.',
      labels: [...labels, 'error_type'],
      bounds: SECONDS,
      convention: { name: 'gen_ai.client.operation.duration', unit: 's', labels: [...askedInDots, 'error.type'] },
    }),
    tokenUsage: registry.histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request, by the conventions of OpenTelemetry.',
      labels: [...labels, 'gen_ai_token_type'],
      bounds: TOKENS,
      convention: { name: 'gen_ai.client.token.usage', unit: '{token}', labels: [...askedInDots, 'gen_ai.token.type'] },
    }),
  };
}

function createLedgerMetrics(registry: Registry) {
  return {
    commits: registry.histogram({
      name: 'switchyard_commit_duration_seconds',
      help: 'Duration of the transactions that write ledger entries; one transaction writes all entries that arrived together.',
      labels: [],
      bounds: SHORT_SECONDS,
    }),
    movements: registry.counter({
      name: 'switchyard_movements_total',
      help: 'Ledger entries that were committed, or failed to commit.',
      labels: ['result'],
    }),
    booksDifference: registry.gauge({
      name: 'switchyard_books_difference_points',
      help: 'Sum of the balance differences that the last ledger check found; must be 0.',
      labels: [],
    }),
    booksProblems: registry.gauge({
      name: 'switchyard_books_problems',
      help: 'Discrepancies that the last ledger check found; must be 0.',
      labels: [],
    }),
  };
}

function createJobMetrics(registry: Registry) {
  return {
    jobRuns: registry.counter({
      name: 'switchyard_job_runs_total',
      help: 'Job runs since the start.',
      labels: ['name', 'outcome'],
    }),
    jobFailing: registry.gauge({
      name: 'switchyard_job_failing',
      help: '1 if the last run of the job failed.',
      labels: ['name'],
    }),
    jobSuccess: registry.gauge({
      name: 'switchyard_job_last_success_timestamp_seconds',
      help: "Time of the job's last successful run since the start.",
      labels: ['name'],
    }),
    jobDuration: registry.gauge({
      name: 'switchyard_job_last_duration_seconds',
      help: "Duration of the job's last run.",
      labels: ['name'],
    }),
  };
}
