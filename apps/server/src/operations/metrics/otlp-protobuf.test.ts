/** What we write is compared with what OpenTelemetry's own exporters write of the same. */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fields, type OtlpReceiver, parseMessage, startOtlpReceiver } from '../../testing/otlp-receiver.ts';
import type { Family } from './metric-registry.ts';
import { encodeMetrics, encodeTraces } from './otlp-protobuf.ts';
import type { Span } from './trace.ts';

let collector: OtlpReceiver;
beforeAll(async () => {
  collector = await startOtlpReceiver();
});
afterAll(() => collector.close());

const RESOURCE = { 'service.name': 'switchyard', 'service.version': '1.2.3' };
const THEIR_RESOURCE = resourceFromAttributes(RESOURCE);
const SCOPE = { name: 'switchyard' };
const SINCE = 1_700_000_000_000;
const NOW = 1_700_000_060_123;
const time = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

/** What an exporter of OpenTelemetry sends of it. */
async function theirs<T>(
  exporter: { export(of: T, done: (result: { code: number; error?: Error }) => void): void; shutdown(): Promise<void> },
  of: T,
): Promise<Buffer> {
  collector.requests.length = 0;
  await new Promise<void>((resolve, reject) =>
    exporter.export(of, ({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error('failed')))),
  );
  await exporter.shutdown();
  const [request] = collector.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request.body;
}

/** Returns a message as a tree, without the order of its fields and without empty ones. */
function treeOf(bytes: Buffer): unknown {
  const fields = readFields(bytes);
  if (fields === undefined) return bytes.toString('hex');
  return Object.fromEntries(
    [...fields]
      .toSorted(([a], [b]) => a - b)
      .map(([field, values]): [number, unknown[]] => [
        field,
        values.flatMap((value) => {
          if (typeof value === 'bigint') return value === 0n ? [] : [String(value)];
          const tree = treeOf(value);
          return JSON.stringify(tree) === '{}' ? [] : [tree];
        }),
      ])
      .filter(([, values]) => values.length > 0),
  );
}

function readFields(bytes: Buffer): Fields | undefined {
  try {
    return parseMessage(bytes);
  } catch {
    return undefined;
  }
}

const base: Span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: 'b7ad6b7169203331',
  name: 'chat 模型',
  kind: 'client',
  startedAt: SINCE,
  endedAt: NOW,
  attributes: { text: 'a text', whole: 300, large: 5_000_000_000, part: 0.25, below: -2.5, yes: true },
  isError: false,
};
const spans: Span[] = [base, { ...base, parentId: undefined, kind: 'server', isError: true, attributes: {} }];

function asTheirs(span: Span): ReadableSpan {
  const context = { traceId: span.traceId, traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.SERVER,
    spanContext: () => ({ ...context, spanId: span.spanId }),
    ...(span.parentId === undefined ? {} : { parentSpanContext: { ...context, spanId: span.parentId } }),
    startTime: time(span.startedAt),
    endTime: time(span.endedAt),
    duration: time(span.endedAt - span.startedAt),
    status: { code: span.isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource: THEIR_RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

test('spans are encoded like OpenTelemetry, except for the flag of a remote parent', async () => {
  const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces` });
  const written = await theirs(exporter, spans.map(asTheirs));
  const FLAG_KNOWN_LOCAL = '257';
  const tree = (bytes: Buffer) =>
    JSON.stringify(treeOf(bytes), undefined, 1).replaceAll(`"${FLAG_KNOWN_LOCAL}"`, '"1"');
  expect(tree(encodeTraces(RESOURCE, spans))).toBe(tree(written));
});

const families: Family[] = [
  {
    name: 'requests_total',
    help: 'Requests.',
    type: 'counter',
    labels: ['model', 'status'],
    points: [
      { values: ['gpt', '200'], value: 12.5 },
      { values: ['gpt', '500'], value: 3.5 },
    ],
  },
  { name: 'rss_bytes', help: 'Memory.', type: 'gauge', labels: [], points: [{ values: [], value: 1.5 }] },
  {
    name: 'duration_seconds',
    help: 'Times.',
    type: 'histogram',
    labels: ['gen_ai_operation_name'],
    convention: { name: 'gen_ai.client.operation.duration', unit: 's', labels: ['gen_ai.operation.name'] },
    bounds: [0.5, 1],
    points: [{ values: ['chat'], counts: [1, 0, 2], sum: 7.25, count: 3 }],
  },
];

test('metrics are written as OpenTelemetry writes them', async () => {
  const times = { startTime: time(SINCE), endTime: time(NOW) };
  const cumulative = { aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const valueType = 1;
  const metrics: ResourceMetrics = {
    resource: THEIR_RESOURCE,
    scopeMetrics: [
      {
        scope: SCOPE,
        metrics: [
          {
            ...cumulative,
            descriptor: { name: 'requests_total', description: 'Requests.', unit: '', valueType },
            dataPointType: DataPointType.SUM,
            isMonotonic: true,
            dataPoints: [
              { ...times, attributes: { model: 'gpt', status: '200' }, value: 12.5 },
              { ...times, attributes: { model: 'gpt', status: '500' }, value: 3.5 },
            ],
          },
          {
            ...cumulative,
            descriptor: { name: 'rss_bytes', description: 'Memory.', unit: 'By', valueType },
            dataPointType: DataPointType.GAUGE,
            dataPoints: [{ ...times, attributes: {}, value: 1.5 }],
          },
          {
            ...cumulative,
            descriptor: { name: 'gen_ai.client.operation.duration', description: 'Times.', unit: 's', valueType },
            dataPointType: DataPointType.HISTOGRAM,
            dataPoints: [
              {
                ...times,
                attributes: { 'gen_ai.operation.name': 'chat' },
                value: { buckets: { boundaries: [0.5, 1], counts: [1, 0, 2] }, sum: 7.25, count: 3 },
              },
            ],
          },
        ],
      },
    ],
  };
  const written = await theirs(new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` }), metrics);
  expect(treeOf(encodeMetrics(RESOURCE, families, SINCE, NOW))).toEqual(treeOf(written));
});
