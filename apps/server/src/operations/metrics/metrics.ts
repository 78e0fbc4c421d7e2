/**
 * Metrics of this server. A name here is a name in `docs/manual/monitoring.md`, in the dashboard and in the alerts of
 * `deploy/`. Gauges are read at each scrape: `read-state.ts`.
 */
import { createRegistry, type Family, type Registry } from './registry.ts';

/** State that only the gateway knows. */
export interface GatewayState {
  /** Relayed requests that have a place. */
  readonly running: number;
  /** Those of them of which the client has got a part. */
  readonly streams: number;
  readonly memoryBytes: number;
  /** Returns the channels in use, with the provider of each. */
  channels(): readonly { id: number; provider: string }[];
}

export type { Family, NumberPoint } from './registry.ts';
export type { Span, TraceContext, Tracing } from './trace.ts';
export { newSpanId, traceparentOf } from './trace.ts';

/** Those of OpenTelemetry's conventions, so that all times can be compared. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const SHORT_SECONDS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = createRegistry();
  return {
    ...managementMetrics(registry),
    ...relayMetrics(registry),
    ...conventionMetrics(registry),
    ...bookMetrics(registry),
    ...jobMetrics(registry),
    spans: registry.counter({
      name: 'switchyard_spans_total',
      help: 'Spans of traces that were sent to the collector, or dropped because it did not take them in time.',
      labels: ['result'],
    }),
    families: (): Family[] => registry.families(),
  };
}

export function countCommit(metrics: Metrics, written: number, failed: number, ms: number): void {
  metrics.commits.observe([], ms / 1000);
  metrics.movements.add(['written'], written);
  if (failed > 0) metrics.movements.add(['failed'], failed);
}

function managementMetrics(registry: Registry) {
  return {
    httpRequests: registry.counter({
      name: 'switchyard_http_requests_total',
      help: 'Requests to the management API and for the files of the console.',
      labels: ['method', 'route', 'status'],
    }),
    httpDuration: registry.histogram({
      name: 'switchyard_http_request_duration_seconds',
      help: 'From the arrival of such a request to the end of its answer.',
      labels: ['method', 'route'],
      bounds: SECONDS,
    }),
  };
}

const TO = ['model', 'channel', 'provider'] as const;

function relayMetrics(registry: Registry) {
  return {
    requests: registry.counter({
      name: 'switchyard_relay_requests_total',
      help: 'Relayed requests that ended, by the channel that was asked last.',
      labels: ['operation', 'dialect', ...TO, 'outcome', 'status'],
    }),
    duration: registry.histogram({
      name: 'switchyard_relay_request_duration_seconds',
      help: 'From the arrival of a relayed request to its end, the charge included.',
      labels: ['operation', 'model'],
      bounds: SECONDS,
    }),
    firstByte: registry.histogram({
      name: 'switchyard_relay_first_byte_seconds',
      help: 'From the arrival of a relayed request to the first content of its answer.',
      labels: ['operation', 'model'],
      bounds: SECONDS,
    }),
    refusals: registry.counter({
      name: 'switchyard_relay_refusals_total',
      help: 'Relayed requests that ended with an error, by its code.',
      labels: ['reason'],
    }),
    retries: registry.counter({
      name: 'switchyard_relay_retries_total',
      help: 'Attempts after the first one of their requests.',
      labels: ['operation'],
    }),
    attempts: registry.counter({
      name: 'switchyard_upstream_attempts_total',
      help: 'Calls of upstreams for relayed requests.',
      labels: ['channel', 'provider', 'outcome', 'status'],
    }),
    attemptDuration: registry.histogram({
      name: 'switchyard_upstream_attempt_duration_seconds',
      help: 'From the begin of such a call to the end of its answer.',
      labels: ['channel', 'provider'],
      bounds: SECONDS,
    }),
    tokens: registry.counter({
      name: 'switchyard_tokens_total',
      help: 'Tokens that were charged for; those of the input that a vendor had cached are counted by themselves.',
      labels: [...TO, 'kind'],
    }),
    points: registry.counter({
      name: 'switchyard_charged_points_total',
      help: 'Points that were charged, 500000 to the dollar.',
      labels: TO,
    }),
  };
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/ */
function conventionMetrics(registry: Registry) {
  const asked = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
  const askedInDots = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'];
  return {
    operationDuration: registry.histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'The same calls of upstreams, by the conventions of OpenTelemetry.',
      labels: [...asked, 'error_type'],
      bounds: SECONDS,
      convention: {
        name: 'gen_ai.client.operation.duration',
        unit: 's',
        labels: [...askedInDots, 'error.type'],
      },
    }),
    tokenUsage: registry.histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request, by the conventions of OpenTelemetry.',
      labels: [...asked, 'gen_ai_token_type'],
      bounds: TOKENS,
      convention: {
        name: 'gen_ai.client.token.usage',
        unit: '{token}',
        labels: [...askedInDots, 'gen_ai.token.type'],
      },
    }),
  };
}

function bookMetrics(registry: Registry) {
  return {
    commits: registry.histogram({
      name: 'switchyard_commit_duration_seconds',
      help: 'Transactions by which the ledger writes what moved, each for all movements that came together.',
      labels: [],
      bounds: SHORT_SECONDS,
    }),
    movements: registry.counter({
      name: 'switchyard_movements_total',
      help: 'Movements of the ledger that were committed, or could not be.',
      labels: ['result'],
    }),
    booksDifference: registry.gauge({
      name: 'switchyard_books_difference_points',
      help: 'Points by which the last check of the books found balances to be wrong, all added up; must be 0.',
      labels: [],
    }),
    booksProblems: registry.gauge({
      name: 'switchyard_books_problems',
      help: 'Things that did not add up in the last check of the books; must be 0.',
      labels: [],
    }),
  };
}

function jobMetrics(registry: Registry) {
  return {
    jobRuns: registry.counter({
      name: 'switchyard_job_runs_total',
      help: 'Runs of jobs since the start.',
      labels: ['name', 'outcome'],
    }),
    jobFailing: registry.gauge({
      name: 'switchyard_job_failing',
      help: '1 when the last run of the job failed.',
      labels: ['name'],
    }),
    jobSuccess: registry.gauge({
      name: 'switchyard_job_last_success_timestamp_seconds',
      help: 'When the job went well last, since the start.',
      labels: ['name'],
    }),
    jobDuration: registry.gauge({
      name: 'switchyard_job_last_duration_seconds',
      help: 'How long the last run of the job took.',
      labels: ['name'],
    }),
  };
}
