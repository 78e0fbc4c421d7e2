/** A collector of OTLP over HTTP that behaves as it is told, and what it was sent. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../../tests/listen.ts';

/** As it stands on the wire: of each field all values. */
export type Fields = Map<number, (bigint | Buffer)[]>;

export interface OtlpReceiver {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** A status, or no answer at all. */
  answers: number | 'nothing';
  spans(): ReceivedSpan[];
  /** Of the last that was sent: names, with the labels of each point. */
  metrics(): Map<string, Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  startedAt: bigint;
  endedAt: bigint;
  attributes: Record<string, unknown>;
  status: number;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    receiver.requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (receiver.answers !== 'nothing') response.writeHead(receiver.answers).end();
  });
  const at = (path: string): Buffer[] =>
    receiver.requests.filter((request) => request.path === path).map(({ body }) => body);
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests: [],
    answers: 200,
    spans: () =>
      at('/v1/traces')
        .flatMap(scopesIn)
        .flatMap((scope) => messagesIn(scope, 2))
        .map(spanOf),
    metrics: () =>
      new Map(
        at('/v1/metrics')
          .slice(-1)
          .flatMap(scopesIn)
          .flatMap((scope) => messagesIn(scope, 2))
          .map(metricOf),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Of either kind of message. */
function scopesIn(body: Buffer): Fields[] {
  return messagesIn(readMessage(body), 1).flatMap((resource) => messagesIn(resource, 2));
}

function spanOf(span: Fields): ReceivedSpan {
  return {
    traceId: bytesIn(span, 1).toString('hex'),
    spanId: bytesIn(span, 2).toString('hex'),
    parentId: bytesIn(span, 4).toString('hex'),
    name: bytesIn(span, 5).toString(),
    kind: Number(numberIn(span, 6)),
    startedAt: numberIn(span, 7),
    endedAt: numberIn(span, 8),
    attributes: attributesIn(span, 9),
    status: Number(messagesIn(span, 15).map((status) => numberIn(status, 3))[0] ?? 0),
  };
}

function metricOf(metric: Fields): [string, Record<string, unknown>[]] {
  const points = [5, 7, 9].flatMap((kind) => messagesIn(metric, kind)).flatMap((data) => messagesIn(data, 1));
  const labelsAt = messagesIn(metric, 9).length > 0 ? 9 : 7;
  return [bytesIn(metric, 1).toString(), points.map((point) => attributesIn(point, labelsAt))];
}

function attributesIn(message: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messagesIn(message, field).map((attribute) => [bytesIn(attribute, 1).toString(), valueIn(attribute)]),
  );
}

function valueIn(attribute: Fields): unknown {
  const [value = new Map() as Fields] = messagesIn(attribute, 2);
  const [[field, [first]] = [0, [0n]]] = value;
  if (first instanceof Buffer) return first.toString();
  if (field === 2) return first === 1n;
  return Number(first);
}

function messagesIn(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).map((value) => {
    if (!(value instanceof Buffer)) throw new Error(`Field ${field} is no message`);
    return readMessage(value);
  });
}

function bytesIn(message: Fields, field: number): Buffer {
  const [value] = message.get(field) ?? [];
  return value instanceof Buffer ? value : Buffer.alloc(0);
}

function numberIn(message: Fields, field: number): bigint {
  const [value] = message.get(field) ?? [];
  return typeof value === 'bigint' ? value : 0n;
}

/** https://protobuf.dev/programming-guides/encoding/ */
export function readMessage(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('A field goes on behind its message');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const valueOf = (wireType: bigint): bigint | Buffer => {
    if (wireType === 0n) return varint();
    if (wireType === 1n) return take(8).readBigUInt64LE();
    if (wireType === 2n) return take(Number(varint()));
    if (wireType === 5n) return BigInt(take(4).readUInt32LE());
    throw new Error(`There is no wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Number(tag >> 3n);
    fields.set(field, [...(fields.get(field) ?? []), valueOf(tag & 7n)]);
  }
  return fields;
}
