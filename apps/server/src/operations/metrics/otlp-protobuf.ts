/**
 * Encodes spans and metrics as OTLP. The field numbers are those of
 * https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto
 */

import type { Family, HistogramPoint, NumberPoint } from './metric-registry.ts';
import type { Span } from './trace.ts';

export type Attributes = Span['attributes'];

const SCOPE = 'switchyard';
const KINDS = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const FLAGS_SAMPLED = 1;
const CUMULATIVE = 2;

export function encodeTraces(resource: Attributes, spans: readonly Span[]): Buffer {
  const scope = new Message().message(1, scopeMessage()).messages(2, spans.map(spanMessage));
  return exportMessage(resource, scope);
}

/** @param since UTC ms at which counters start */
export function encodeMetrics(resource: Attributes, families: readonly Family[], since: number, now: number): Buffer {
  const metrics = families.filter(({ points }) => points.length > 0);
  const times = { since: nanoseconds(since), now: nanoseconds(now) };
  const scope = new Message().message(1, scopeMessage()).messages(
    2,
    metrics.map((family) => metricMessage(family, times)),
  );
  return exportMessage(resource, scope);
}

function exportMessage(resource: Attributes, scope: Message): Buffer {
  const ofResource = new Message().message(1, new Message().messages(1, attributeMessages(resource))).message(2, scope);
  return new Message().message(1, ofResource).bytes();
}

const scopeMessage = (): Message => new Message().text(1, SCOPE);

function spanMessage(span: Span): Message {
  const status = span.isError ? new Message().varint(3, STATUS_ERROR) : new Message();
  return new Message()
    .hex(1, span.traceId)
    .hex(2, span.spanId)
    .hex(4, span.parentId ?? '')
    .text(5, span.name)
    .varint(6, KINDS[span.kind])
    .fixed64(7, nanoseconds(span.startedAt))
    .fixed64(8, nanoseconds(span.endedAt))
    .messages(9, attributeMessages(span.attributes))
    .message(15, status)
    .fixed32(16, FLAGS_SAMPLED);
}

interface Times {
  since: bigint;
  now: bigint;
}

function metricMessage(family: Family, times: Times): Message {
  const { convention, help } = family;
  const message = new Message()
    .text(1, convention?.name ?? family.name)
    .text(2, help)
    .text(3, convention?.unit ?? inferUnit(family.name));
  const names = convention?.labels ?? family.labels;
  if (family.type === 'histogram') {
    const points = family.points.map((point) => histogramMessage(names, family.bounds, point, times));
    return message.message(9, new Message().messages(1, points).varint(2, CUMULATIVE));
  }
  const points = family.points.map((point) => numberMessage(names, point, times));
  return family.type === 'gauge'
    ? message.message(5, new Message().messages(1, points))
    : message.message(7, new Message().messages(1, points).varint(2, CUMULATIVE).varint(3, 1));
}

/** Returns the unit from the suffix of a Prometheus name. */
function inferUnit(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}

function numberMessage(names: readonly string[], { values, value }: NumberPoint, times: Times): Message {
  return new Message()
    .fixed64(2, times.since)
    .fixed64(3, times.now)
    .double(4, value)
    .messages(7, labelMessages(names, values));
}

function histogramMessage(
  names: readonly string[],
  bounds: readonly number[],
  { values, counts, sum, count }: HistogramPoint,
  times: Times,
): Message {
  return new Message()
    .fixed64(2, times.since)
    .fixed64(3, times.now)
    .fixed64(4, BigInt(count))
    .double(5, sum)
    .packedFixed64(6, counts)
    .packedDouble(7, bounds)
    .messages(9, labelMessages(names, values));
}

/** Encodes labels without empty ones, which the conventions leave out, such as the error type of a success. */
function labelMessages(names: readonly string[], values: readonly string[]): Message[] {
  return attributeMessages(Object.fromEntries(names.map((name, index) => [name, values[index] || undefined])));
}

function attributeMessages(attributes: Attributes): Message[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [new Message().text(1, name).message(2, valueMessage(value))],
  );
}

function valueMessage(value: string | number | boolean): Message {
  if (typeof value === 'string') return new Message().text(1, value);
  if (typeof value === 'boolean') return new Message().varint(2, value ? 1 : 0);
  return Number.isSafeInteger(value) && value >= 0 ? new Message().varint(3, value) : new Message().double(4, value);
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}

/** Protobuf's wire format. https://protobuf.dev/programming-guides/encoding/ */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

class Message {
  readonly #parts: Buffer[] = [];

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  message(field: number, message: Message): this {
    return this.#delimited(field, message.bytes());
  }

  messages(field: number, messages: readonly Message[]): this {
    for (const message of messages) this.message(field, message);
    return this;
  }

  text(field: number, text: string): this {
    return this.#delimited(field, Buffer.from(text));
  }

  hex(field: number, digits: string): this {
    return this.#delimited(field, Buffer.from(digits, 'hex'));
  }

  /** Adds a non-negative integer. */
  varint(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | VARINT), varint(value));
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#parts.push(varint((field << 3) | FIXED64), fixed64(value));
    return this;
  }

  fixed32(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.#parts.push(varint((field << 3) | FIXED32), bytes);
    return this;
  }

  double(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | FIXED64), double(value));
    return this;
  }

  packedFixed64(field: number, values: readonly number[]): this {
    return this.#delimited(field, Buffer.concat(values.map((value) => fixed64(BigInt(value)))));
  }

  packedDouble(field: number, values: readonly number[]): this {
    return this.#delimited(field, Buffer.concat(values.map(double)));
  }

  #delimited(field: number, bytes: Buffer): this {
    this.#parts.push(varint((field << 3) | BYTES), varint(bytes.length), bytes);
    return this;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function fixed64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}
