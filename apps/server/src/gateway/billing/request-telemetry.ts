/** Reports relayed requests to monitoring: once at the end of each attempt, and once at the end of each request. */
import type { IncomingMessage } from 'node:http';
import type { ClientRequest, DialectId } from '@switchyard/relay';
import type { NewUsageRecord, StoredAttempt } from '../../ledger/ledger.ts';
import { type Metrics, newSpanId, type Span, type Tracing } from '../../operations/metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { RelayError } from '../http/relay-error.ts';
import type { ChannelState, Snapshot } from '../snapshot/snapshot.ts';
import type { RequestLog } from './logged-call.ts';

export interface RecordRequestParts {
  snapshot: Snapshot;
  clock: Clock;
  metrics: Metrics;
  /** Returns the metric label of a model; the number of distinct labels is bounded. */
  modelLabel: (model: string) => string;
  /** Undefined when tracing is off. */
  tracing: Tracing | undefined;
}

type LogParts = Pick<RecordRequestParts, 'clock' | 'tracing'>;

export function createRequestLog({ clock, tracing }: LogParts, { headers }: IncomingMessage): RequestLog {
  const startedAt = clock.now();
  const stopwatchAt = clock.elapsed();
  return {
    startedAt,
    now: () => startedAt + Math.round(clock.elapsed() - stopwatchAt),
    attempts: [],
    dropped: [],
    delivery: undefined,
    trace: tracing?.begin(headers['traceparent']),
  };
}

interface AttemptedCall {
  request: Pick<ClientRequest, 'operation'>;
  channel: ChannelState;
  /** Model as the client named it, or its fallback model. */
  model: string;
}

/** Adds the attempt to the request's record and to the metrics. */
export function recordAttempt(
  { metrics, modelLabel, tracing }: Pick<RecordRequestParts, 'metrics' | 'modelLabel' | 'tracing'>,
  log: RequestLog,
  { request, channel, model }: AttemptedCall,
  attempt: StoredAttempt,
): void {
  log.attempts.push(attempt);
  const provider = channel.target.provider.id;
  const seconds = attempt.duration / 1000;
  const error = attempt.outcome === 'answered' ? '' : attempt.outcome;
  metrics.attempts.add([String(channel.id), provider, attempt.outcome, String(attempt.status)]);
  metrics.attemptDuration.observe([String(channel.id), provider], seconds);
  metrics.operationDuration.observe(
    [operationName(request.operation), providerName(provider), modelLabel(model), error],
    seconds,
  );
  if (log.trace === undefined) return;
  const startedAt = log.startedAt + attempt.started_after;
  tracing?.end({
    traceId: log.trace.traceId,
    spanId: log.attemptSpanId ?? newSpanId(),
    parentId: log.trace.spanId,
    name: `${operationName(request.operation)} ${attempt.upstream_model}`,
    kind: 'client',
    startedAt,
    endedAt: startedAt + attempt.duration,
    attributes: {
      'gen_ai.operation.name': operationName(request.operation),
      'gen_ai.provider.name': providerName(provider),
      'gen_ai.request.model': attempt.upstream_model,
      'gen_ai.response.model': error === '' ? (attempt.served_model ?? attempt.upstream_model) : undefined,
      'http.response.status_code': attempt.status === 0 ? undefined : attempt.status,
      'switchyard.channel.id': channel.id,
      'error.type': error === '' ? undefined : error,
    },
    isError: error !== '' && error !== 'abandoned',
  });
  delete log.attemptSpanId;
}

interface EndedRequest {
  route: { format: DialectId; operation: string };
  requestId: string;
  client: Pick<ClientResponse, 'hasLeft'>;
}

/** @param error error that ended the request; undefined after a success */
export function recordRequest(
  parts: RecordRequestParts,
  ended: EndedRequest,
  log: RequestLog,
  error: RelayError | undefined,
): void {
  const { metrics, modelLabel } = parts;
  const { operation } = ended.route;
  const endedAt = log.now();
  const outcome = resolveOutcome(ended, log, error);
  const channelId = log.attempts.at(-1)?.channel_id;
  const provider = findProviderId(parts, channelId);
  const model = log.model === undefined ? '' : modelLabel(log.model);
  metrics.requests.add([
    operation,
    ended.route.format,
    model,
    channelId === undefined ? '' : String(channelId),
    provider,
    outcome,
    String(error?.status ?? 200),
  ]);
  metrics.duration.observe([operation, model], (endedAt - log.startedAt) / 1000);
  const firstByteMs = log.charged?.first_byte_ms ?? 0;
  if (firstByteMs > 0) metrics.firstByte.observe([operation, model], firstByteMs / 1000);
  if (error !== undefined) metrics.refusals.add([error.code]);
  if (log.attempts.length > 1) metrics.retries.add([operation], log.attempts.length - 1);
  if (log.charged !== undefined) {
    const labels = [operationName(operation), providerName(provider), model] as const;
    metrics.tokenUsage.observe([...labels, 'input'], log.charged.prompt_tokens);
    metrics.tokenUsage.observe([...labels, 'output'], log.charged.completion_tokens);
  }
  if (log.trace !== undefined)
    parts.tracing?.end(buildRequestSpan(ended, log, log.trace, { operation, provider, endedAt, outcome, error }));
}

/** Counts a charge of any kind: for a request, a response of a realtime session, or a task. */
export function recordCharge(
  { metrics, modelLabel, snapshot }: Pick<RecordRequestParts, 'metrics' | 'modelLabel' | 'snapshot'>,
  points: number,
  { model, channel_id: channelId, prompt_tokens, cached_tokens, completion_tokens }: NewUsageRecord,
): void {
  const channel = channelId === null ? '' : String(channelId);
  const to = [modelLabel(model), channel, findProviderId({ snapshot }, channelId ?? undefined)] as const;
  if (points > 0) metrics.points.add(to, points);
  const kinds = { input: prompt_tokens - cached_tokens, cached_input: cached_tokens, output: completion_tokens };
  for (const [kind, tokens] of Object.entries(kinds)) if (tokens > 0) metrics.tokens.add([...to, kind], tokens);
}

type Outcome = 'answered' | 'refused' | 'failed' | 'left';

/**
 * Classifies the outcome. A request is `refused` if no upstream was called. A passthrough request has no attempts,
 * and fails by its upstream's errors.
 */
function resolveOutcome({ client }: EndedRequest, { attempts }: RequestLog, error: RelayError | undefined): Outcome {
  if (error === undefined) return 'answered';
  if (client.hasLeft || error.code === 'client_left') return 'left';
  return attempts.length === 0 && !error.code.startsWith('upstream_') ? 'refused' : 'failed';
}

interface RequestEnd {
  operation: string;
  provider: string;
  endedAt: number;
  outcome: Outcome;
  error: RelayError | undefined;
}

function buildRequestSpan(
  { route, requestId }: EndedRequest,
  log: RequestLog,
  trace: NonNullable<RequestLog['trace']>,
  { operation, provider, endedAt, outcome, error }: RequestEnd,
): Span {
  const last = log.attempts.at(-1);
  const { charged } = log;
  const isAnswered = outcome === 'answered' && last !== undefined;
  return {
    ...trace,
    name: `${operationName(operation)} ${log.model ?? ''}`.trim(),
    kind: 'server',
    startedAt: log.startedAt,
    endedAt,
    attributes: {
      'gen_ai.operation.name': operationName(operation),
      'gen_ai.provider.name': provider === '' ? undefined : providerName(provider),
      'gen_ai.request.model': log.model,
      'gen_ai.response.model': isAnswered ? (last.served_model ?? last.upstream_model) : undefined,
      'gen_ai.usage.input_tokens': charged?.prompt_tokens,
      'gen_ai.usage.output_tokens': charged?.completion_tokens,
      'gen_ai.usage.cache_read.input_tokens': charged?.cached_tokens,
      'http.response.status_code': error?.status ?? 200,
      'error.type': error?.code,
      'switchyard.request.id': requestId,
      'switchyard.dialect': route.format,
      'switchyard.outcome': outcome,
      'switchyard.channel.id': last?.channel_id,
      'switchyard.attempts': log.attempts.length,
      'switchyard.points': charged?.quota,
      'switchyard.time_to_first_byte_ms': charged?.first_byte_ms,
    },
    isError: error !== undefined && error.status >= 500,
  };
}

function findProviderId({ snapshot }: Pick<RecordRequestParts, 'snapshot'>, channelId: number | undefined): string {
  return channelId === undefined ? '' : (snapshot.channel(channelId)?.target.provider.id ?? '');
}

/** https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/ */
const operationNames: Readonly<Record<string, string>> = { completions: 'text_completion', images: 'image_generation' };
const operationName = (operation: string): string => operationNames[operation] ?? operation;

const providerNames: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'azure-v1': 'azure.ai.openai',
  'azure-foundry': 'azure.ai.inference',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
};
const providerName = (provider: string): string => providerNames[provider] ?? provider;
