/** Collector of OTLP over HTTP that stores requests and can simulate errors. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../../tests/listen.ts';

/** Fields of a message: all values by field number. */
export type Fields = Map<number, (bigint | Buffer)[]>;

export interface OtlpReceiver {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** Status of the responses, or no response. */
  responseStatus: number | 'nothing';
  spans(): ReceivedSpan[];
  /** Returns the metrics of the last request: names, with the labels of each point. */
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
    if (receiver.responseStatus !== 'nothing') response.writeHead(receiver.responseStatus).end();
  });
  const at = (path: string): Buffer[] =>
    receiver.requests.filter((request) => request.path === path).map(({ body }) => body);
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${await listen(server)}`,
    requests: [],
    responseStatus: 200,
    spans: () =>
      at('/v1/traces')
        .flatMap(readScopes)
        .flatMap((scope) => readMessages(scope, 2))
        .map(parseSpan),
    metrics: () =>
      new Map(
        at('/v1/metrics')
          .slice(-1)
          .flatMap(readScopes)
          .flatMap((scope) => readMessages(scope, 2))
          .map(parseMetric),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Returns the scopes of a trace or metrics message. */
function readScopes(body: Buffer): Fields[] {
  return readMessages(parseMessage(body), 1).flatMap((resource) => readMessages(resource, 2));
}

function parseSpan(span: Fields): ReceivedSpan {
  return {
    traceId: readBytes(span, 1).toString('hex'),
    spanId: readBytes(span, 2).toString('hex'),
    parentId: readBytes(span, 4).toString('hex'),
    name: readBytes(span, 5).toString(),
    kind: Number(readNumber(span, 6)),
    startedAt: readNumber(span, 7),
    endedAt: readNumber(span, 8),
    attributes: readAttributes(span, 9),
    status: Number(readMessages(span, 15).map((status) => readNumber(status, 3))[0] ?? 0),
  };
}

function parseMetric(metric: Fields): [string, Record<string, unknown>[]] {
  const points = [5, 7, 9].flatMap((kind) => readMessages(metric, kind)).flatMap((data) => readMessages(data, 1));
  const labelsAt = readMessages(metric, 9).length > 0 ? 9 : 7;
  return [readBytes(metric, 1).toString(), points.map((point) => readAttributes(point, labelsAt))];
}

function readAttributes(message: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    readMessages(message, field).map((attribute) => [readBytes(attribute, 1).toString(), readValue(attribute)]),
  );
}

function readValue(attribute: Fields): unknown {
  const [value = new Map() as Fields] = readMessages(attribute, 2);
  const [[field, [first]] = [0, [0n]]] = value;
  if (first instanceof Buffer) return first.toString();
  if (field === 2) return first === 1n;
  return Number(first);
}

function readMessages(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).map((value) => {
    if (!(value instanceof Buffer)) throw new Error(`Field ${field} is no message`);
    return parseMessage(value);
  });
}

function readBytes(message: Fields, field: number): Buffer {
  const [value] = message.get(field) ?? [];
  return value instanceof Buffer ? value : Buffer.alloc(0);
}

function readNumber(message: Fields, field: number): bigint {
  const [value] = message.get(field) ?? [];
  return typeof value === 'bigint' ? value : 0n;
}

/** https://protobuf.dev/programming-guides/encoding/ */
export function parseMessage(bytes: Buffer): Fields {
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
