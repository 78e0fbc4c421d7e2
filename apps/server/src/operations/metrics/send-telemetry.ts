/**
 * Sends spans and metrics to an OTLP/HTTP collector. A slow or broken collector never affects requests: spans wait in
 * a bounded queue, and are dropped and counted when it is full. https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import { hostname } from 'node:os';
import type { TelemetryConfig } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { startRepeating, waitAtMost } from '../../platform/timeouts-and-intervals.ts';
import { version } from '../../platform/version.ts';
import type { Family, Metrics } from './metrics.ts';
import { type Attributes, encodeMetrics, encodeTraces } from './otlp-protobuf.ts';
import { createTraceContext, type Span, type Tracing } from './trace.ts';

export interface Telemetry extends Tracing {
  /** Flushes within a short time, and stops. */
  close(): Promise<void>;
}

/** Export intervals and timeouts. */
export interface TelemetryIntervals {
  spansMs: number;
  metricsMs: number;
  timeoutMs: number;
  finalFlushMs: number;
}

export interface TelemetryOptions {
  config: TelemetryConfig;
  metrics: Metrics;
  /** Reads all counters and gauges. */
  read: () => Promise<Family[]>;
  vault: Pick<Vault, 'fingerprint'>;
  clock: Clock;
  log: Log;
  pace?: TelemetryIntervals;
}

/** `later`: the collector is unreachable or overloaded. */
type ExportResult = 'taken' | 'refused' | 'later';

const DEFAULT_INTERVALS: TelemetryIntervals = {
  spansMs: 2_000,
  metricsMs: 60_000,
  timeoutMs: 10_000,
  finalFlushMs: 1_000,
};
const QUEUE_MAX = 4_096;
const BATCH_MAX = 512;

export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { config, metrics, read, vault, clock, log, pace = DEFAULT_INTERVALS } = options;
  const collector = createCollectorClient(options);
  const resource: Attributes = {
    'service.name': config.serviceName,
    'service.version': version,
    'service.instance.id': `${hostname()}:${process.pid}`,
  };
  const since = clock.now();
  const upstreams = new Set(config.traceUpstreams);
  const waiting: Span[] = [];

  const sendSpans = async (timeoutMs: number): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      const taken = await collector.post('/v1/traces', encodeTraces(resource, batch), timeoutMs);
      if (taken === 'later') return;
      waiting.splice(0, batch.length);
      metrics.spans.add([taken === 'taken' ? 'sent' : 'dropped'], batch.length);
    }
  };
  // Values are cumulative, so a missed export is included in the next one.
  const sendMetrics = async (timeoutMs: number): Promise<void> => {
    const message = encodeMetrics(resource, await read(), since, clock.now());
    await collector.post('/v1/metrics', message, timeoutMs);
  };
  const failed = (error: unknown): void => log.error({ err: error }, 'telemetry could not be exported');
  const loops = [
    startRepeating(clock, pace.spansMs, () => sendSpans(pace.timeoutMs), failed),
    startRepeating(clock, pace.metricsMs, () => sendMetrics(pace.timeoutMs), failed),
  ];

  return {
    begin: (traceparent) => createTraceContext(traceparent, config.traceRatio, vault),
    end(span) {
      if (waiting.length < QUEUE_MAX) waiting.push(span);
      else metrics.spans.add(['dropped']);
    },
    shouldPropagateTo: (url) => upstreams.size > 0 && upstreams.has(new URL(url).hostname),
    async close() {
      const stopped = Promise.all(loops.map((loop) => loop.stop()));
      await waitAtMost(
        clock,
        pace.finalFlushMs,
        stopped.then(() => sendSpans(pace.finalFlushMs)).then(() => sendMetrics(pace.finalFlushMs)),
      );
      metrics.spans.add(['dropped'], waiting.length);
      await collector.close();
    },
  };
}

/** Creates a client that only connects to the collector. A failure is logged when it begins and when it ends. */
function createCollectorClient({ config: { endpoint, headers }, log }: TelemetryOptions) {
  const outbound = createOutbound([new URL(endpoint).hostname]);
  const over = new AbortController();
  let isHealthy = true;
  const recordHealth = (isWellNow: boolean, why: object): void => {
    if (isWellNow === isHealthy) return;
    isHealthy = isWellNow;
    if (isHealthy) log.info(why, 'the collector accepts telemetry again');
    else log.warn(why, 'the collector does not accept telemetry');
  };
  return {
    close() {
      over.abort();
      return outbound.close();
    },
    async post(path: string, body: Buffer, timeoutMs: number): Promise<ExportResult> {
      try {
        const { status } = await outbound.fetchJson({
          method: 'POST',
          url: endpoint + path,
          headers: { ...headers, 'content-type': 'application/x-protobuf' },
          body,
          proxy: '',
          timeoutMs,
          signal: over.signal,
        });
        recordHealth(status < 300, { status });
        if (status < 300) return 'taken';
        return status === 429 || status >= 500 ? 'later' : 'refused';
      } catch (error) {
        recordHealth(false, { err: error });
        return 'later';
      }
    },
  };
}
